#!/bin/sh
# The shapes that need kustomize.
# Slow: builds kustomize
exec "$(dirname "$0")/run.sh" kustomize
