# osm-gen. `make help` lists the targets.

CC       ?= cc
CXX      ?= c++
CLANG    ?= clang
PKG_CONFIG ?= pkg-config
BUILD    := build

PACKAGES := libgit2 yaml-0.1 jansson libsodium libcrypto re2 libutf8proc zlib libdeflate
WARNINGS  = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wconversion \
            -Wno-sign-conversion -Wvla -Wformat=2 -Wundef $(FATAL)
# Warnings end the build with WERROR=1, as in CI and `make lint`: another compiler may know more of them.
FATAL     = $(if $(WERROR),-Werror)
# What Debian's dpkg-buildflags asks for with hardening=+all; `make lint` proves it on the binary.
HARDEN    = -fPIE -fstack-protector-strong -fstack-clash-protection $(branch_protection) $(fortify)
# Whoever packages may have a level of their own, as Ubuntu does.
fortify   = $(if $(findstring _FORTIFY_SOURCE,$(CPPFLAGS) $(CFLAGS)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
LDHARDEN := -pie -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack
CSTD     := -std=c17 -D_GNU_SOURCE -Isrc -Isrc/lib -I$(BUILD)/gen
# The folder of the build stands in no object: two builds in two folders are the same bytes (ci/reproducible).
NOWHERE  := -ffile-prefix-map=$(CURDIR)=.
# RE2 speaks C++ only: one file, whose rules are laxer where its headers are.
CXXSTD    = -std=c++17 -Isrc/lib -Wall -Wextra -Wshadow $(FATAL) -fno-sanitize=vptr

# ISA-L compresses packs three times as fast as libdeflate, on the processors that it is made for. make ISAL= builds without it.
ISAL      = $(call once,ISAL,$(if $(filter x86_64-% aarch64-%,$(shell $(CC) -dumpmachine)),$(shell $(PKG_CONFIG) --exists libisal && echo libisal)))
isal_flag = $(if $(ISAL),-DOSM_GEN_ISAL)

# Asked once, and only when needed, so that `make help` and `make setup` work without compiler and libraries.
once       = $(eval $(1) := $(2))$($(1))
# The first file that is compiled asks whether all packages are there.
looked     = $(if $(shell CC='$(CC)' CXX='$(CXX)' PKG_CONFIG='$(PKG_CONFIG)' ci/install --look build && echo yes),,$(error nothing was built))
pkg_cflags = $(call once,pkg_cflags,$(looked)$(shell $(PKG_CONFIG) --cflags $(PACKAGES) $(ISAL)) $(isal_flag))
pkg_libs   = $(call once,pkg_libs,$(shell $(PKG_CONFIG) --libs $(PACKAGES) $(ISAL)) -lstdc++)
# x86 and aarch64 protect indirect jumps each with a flag of its own, other processors have none.
branch_protection = $(call once,branch_protection,$(firstword \
	$(foreach flag,-fcf-protection -mbranch-protection=standard,$(call accepted,$(flag)))))
accepted   = $(shell $(CC) $(1) -S -o - -x c /dev/null >/dev/null 2>&1 && echo "$(1)")

SRC      := $(sort $(wildcard src/*/*.c src/*/*/*.c src/lib/*/*/*.c))
CXXSRC   := $(sort $(wildcard src/lib/*/*.cc))
CMD      := $(sort $(wildcard cmd/osm-gen/*.c))
# What the program carries: of the newest output contract, and of those before it (ci/contract).
carried   = $(sort $(wildcard $(foreach pattern,$(1),profiles/$(pattern) profiles/contracts/*/$(pattern))))
PROFILES := $(call carried,*.yaml)
COMMENTED := $(sort $(wildcard profiles/commented/*.yaml))
SCRIPTS  := $(call carried,extension/*.sh extension/*.txt)
SYSTEMS  := $(call carried,gardener/*.yaml)
FLOW     := $(call carried,gardener/flow/*.sh)
PAGE     := src/report/page.css src/report/page.js
FORMS    := $(sort $(wildcard src/report/forms/*.tmpl))
MIRROR   := src/inventory/mirror.sh
# The example repository. ci/example copies some of its files.
EXAMPLE := $(sort $(shell find docs/example -type f))
UNIT     := $(sort $(wildcard tests/unit/*_test.c))
FUZZ     := $(sort $(wildcard tests/fuzz/*_fuzz.c))
TEMPLATE := $(sort $(wildcard tests/template/*.c))

# Objects of tests are wanted again when one of the library's files has changed.
.SECONDARY:
.PHONY: all help setup secrecy-fuzz adopt-random mutate-random repositories-random proofs-random merge-random kubeone-random kustomize-random profiles example demo test test-all test-slow why portability oracle oracle-fuzz readers recipes template-cases bench hostile faults tsan coverage mutants fuzz lint objects format install uninstall static dist site sbom deb rpm release clean unit FORCE node-test cluster-test cluster-bench

all: $(BUILD)/osm-gen ## build/osm-gen (the default); with WERROR=1 a warning ends the build

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | sort | awk -F'\t' '{printf "  make %-16s %s\n", $$1, $$2}'

setup: ## install the Debian packages of make, make demo and make test, as root; FOR=test-all: those of make test-all, too
	@ci/install build unit test $(FOR)

# ---- builds: release, sanitizers, fuzzing, coverage, mutants ------------------------------------

# $(call build,NAME,COMPILER,FLAGS,C++ COMPILER,FLAGS)
define build
$(BUILD)/$(1)/%.o: %.c Makefile
	@mkdir -p $$(@D)
	@echo "  CC $$@"
	@$(2) $$(CSTD) $$(WARNINGS) $(3) $$(HARNESS) $$(pkg_cflags) -MMD -MP -c -o $$@ $$<
$(BUILD)/$(1)/%.o: %.cc Makefile
	@mkdir -p $$(@D)
	@echo "  CXX $$@"
	@$(4) $$(CXXSTD) $(5) $$(pkg_cflags) -MMD -MP -c -o $$@ $$<
$(BUILD)/$(1)/gen/%.o: $(BUILD)/gen/%.c Makefile
	@mkdir -p $$(@D)
	@echo "  CC $$@"
	@$(2) $$(CSTD) $$(WARNINGS) $(3) -MMD -MP -c -o $$@ $$<
$(BUILD)/$(1)/libosm-gen.a: $$(call library,$(1))
	@rm -f $$@
	@$$(AR) rcsD $$@ $$^
-include $$(wildcard $(BUILD)/$(1)/src/*/*.d $(BUILD)/$(1)/src/*/*/*.d $(BUILD)/$(1)/src/lib/*/*/*.d $(BUILD)/$(1)/cmd/*/*.d $(BUILD)/$(1)/tests/*/*.d)
endef

# The objects of the library.
library = $(SRC:%.c=$(BUILD)/$(1)/%.o) $(CXXSRC:%.cc=$(BUILD)/$(1)/%.o) \
	$(foreach name,profiles commented scripts systems flow page forms mirror,$(BUILD)/$(1)/gen/$(name).o)

# Whoever packages osm-gen adds flags: make CPPFLAGS=... CFLAGS=... CXXFLAGS=... LDFLAGS=...
RELEASE  = $(if $(filter $(TESTING),$<),-O0 -g1,-O2 -g $(HARDEN)) $(NOWHERE)
# Tests are not optimized: compiling them would take longer than what they do.
TESTING := tests/unit/%_test.c tests/unit/main.c tests/unit/system_calls.c tests/fuzz/% tests/dialect/% tests/userdata/% tests/kubeone/%
ASAN     = $(if $(filter tests/%,$<),-O0,-O1) -g1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
FUZZING := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
TSAN    := -O1 -g -fsanitize=thread -fno-omit-frame-pointer
COVERAGE := -O0 -g --coverage -fprofile-update=atomic
# Of these the library is a shared one, so that a changed object needs no test linked again (tests/mutation).
MUTATION := -O1 -fPIC -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
PLAIN    := -O2 -fPIC

$(eval $(call build,release,$$(CC),$$(RELEASE) $$(CPPFLAGS) $$(CFLAGS),$$(CXX),$$(RELEASE) $$(CPPFLAGS) $$(CXXFLAGS)))
$(eval $(call build,asan,$$(CC),$$(ASAN),$$(CXX),$$(ASAN)))
$(eval $(call build,fuzz,$$(CLANG),$$(FUZZING),$$(CLANG)++,$$(FUZZING)))
$(eval $(call build,tsan,$$(CC),$$(TSAN),$$(CXX),$$(TSAN)))
$(eval $(call build,coverage,$$(CC),$$(COVERAGE),$$(CXX),$$(COVERAGE)))
$(eval $(call build,mutation,$$(CC),$$(MUTATION),$$(CXX),$$(MUTATION)))
$(eval $(call build,plain,$$(CC),$$(PLAIN),$$(CXX),$$(PLAIN)))

# Of contracts that expire the texts go, too, with a row of contract.c.
$(BUILD)/gen/profiles.c: $(PROFILES) ci/embed src/dialect/contract.c
	@mkdir -p $(@D)
	ci/embed osm/embedded.h osm_embedded_file dialect_text $(PROFILES) > $@

$(BUILD)/gen/commented.c: $(COMMENTED) ci/embed
	@mkdir -p $(@D)
	ci/embed osm/embedded.h osm_commented_file dialect_text $(COMMENTED) > $@

$(BUILD)/gen/scripts.c: $(SCRIPTS) ci/embed src/dialect/contract.c
	@mkdir -p $(@D)
	ci/embed osm/embedded.h osm_extension_script dialect_text $(SCRIPTS) > $@

$(BUILD)/gen/systems.c: $(SYSTEMS) ci/embed src/dialect/contract.c
	@mkdir -p $(@D)
	ci/embed gardener/internal.h gardener_embedded_file dialect_text $(SYSTEMS) > $@

$(BUILD)/gen/flow.c: $(FLOW) ci/embed src/dialect/contract.c
	@mkdir -p $(@D)
	ci/embed gardener/internal.h gardener_flow_file dialect_text $(FLOW) > $@

$(BUILD)/gen/page.c: $(PAGE) ci/embed
	@mkdir -p $(@D)
	ci/embed report/render.h report_page_file report_embedded_file $(PAGE) > $@

$(BUILD)/gen/forms.c: $(FORMS) ci/embed
	@mkdir -p $(@D)
	ci/embed report/render.h report_form_file report_embedded_file $(FORMS) > $@

$(BUILD)/gen/mirror.c: $(MIRROR) ci/embed
	@mkdir -p $(@D)
	ci/embed inventory/internal.h inventory_script inventory_script $(MIRROR) > $@

$(BUILD)/gen/example.c: $(EXAMPLE) ci/embed
	@mkdir -p $(@D)
	ci/embed ../cmd/osm-gen/init_files.h init_example_file init_example_file $(EXAMPLE) > $@

# Distinguishes two builds of one version, whatever compiler made them.
HEADERS := $(sort $(wildcard src/*/*.h src/*/*/*.h src/lib/*/*/*.h src/lib/*/*.def cmd/*/*.h))
$(BUILD)/gen/source_digest.h: $(SRC) $(CXXSRC) $(CMD) $(HEADERS) $(PROFILES) $(COMMENTED) $(SCRIPTS) $(SYSTEMS) $(FLOW) $(PAGE) $(FORMS) $(MIRROR) $(EXAMPLE)
	@mkdir -p $(@D)
	@cat $^ | sha256sum | awk '{printf "#define OSM_GEN_SOURCE_DIGEST \"%s\"\n", $$1}' > $@
$(foreach build,release asan tsan fuzz coverage mutation plain,$(BUILD)/$(build)/cmd/osm-gen/request.o $(BUILD)/$(build)/cmd/osm-gen/version.o): $(BUILD)/gen/source_digest.h
$(BUILD)/gen/version_number.h: VERSION
	@mkdir -p $(@D)
	@printf '#define OSM_GEN_VERSION "%s"\n' "$$(cat VERSION)" > $@
$(foreach build,release asan tsan fuzz coverage mutation plain,$(foreach name,run request version option_tree inventory,$(BUILD)/$(build)/cmd/osm-gen/$(name).o)): $(BUILD)/gen/version_number.h

# The objects of the program, beside the library's.
program = $(CMD:%.c=$(BUILD)/$(1)/%.o) $(BUILD)/$(1)/gen/example.o

$(BUILD)/osm-gen: $(call program,release) $(BUILD)/release/libosm-gen.a
	@echo "  LD $@"
	@$(CC) $(RELEASE) $(CFLAGS) $(LDHARDEN) $(LDFLAGS) -o $@ $^ $(pkg_libs) -lpthread -lm

# One file without a library around it, for images and hosts of any distribution. Debian has all libraries as archives but
# GSSAPI's; libssh2.pc does not say that it needs libgcrypt where it does. Debian 13's libcrypto.a wants libzstd-dev, too; that of a
# release is linked there, since Debian 12's libcrypto lacks ML-KEM-768.
static_libs = $(call once,static_libs,$(shell $(PKG_CONFIG) --static --libs $(PACKAGES)) $(call archived,gcrypt gpg-error) -lstdc++)
archived    = $(foreach name,$(1),$(if $(findstring /,$(shell $(CC) -print-file-name=lib$(name).a)),-l$(name)))
# Debian has no archive of ISA-L: this object is linked instead of the library's.
WITHOUT_ISAL := $(BUILD)/release/without-isal/src/git/deflate.o
$(WITHOUT_ISAL): src/git/deflate.c Makefile
	@mkdir -p $(@D)
	@echo "  CC $@"
	@$(CC) $(CSTD) $(WARNINGS) $(RELEASE) $(CPPFLAGS) $(CFLAGS) $(pkg_cflags) -UOSM_GEN_ISAL -c -o $@ $<

$(BUILD)/osm-gen-static: $(call program,release) $(BUILD)/release/ci/packaging/gssapi.o $(BUILD)/release/ci/packaging/certificates.o $(WITHOUT_ISAL) $(BUILD)/release/libosm-gen.a
	@echo "  LD $@"
	@$(CC) $(RELEASE) $(CFLAGS) $(LDHARDEN:-pie=-static-pie) $(LDFLAGS) -Wl,-S -Wl,-Map=$@.map -o $@ $^ \
		-Wl,--wrap=mbedtls_x509_crt_parse_file -Wl,--wrap=mbedtls_x509_crt_parse_path \
		-Wl,--start-group $(static_libs) -Wl,--end-group -lpthread -lm 2>$@.log || { cat $@.log >&2; false; }

# The files of C tests and the harnesses that there are: main.c and replay.c make tables of them.
$(BUILD)/gen/unit_tests.def: FORCE
	@$(call written,$(patsubst tests/unit/%_test.c,UNIT(%),$(UNIT)))
$(BUILD)/gen/fuzz_harnesses.def: FORCE
	@$(call written,$(patsubst tests/fuzz/%_fuzz.c,FUZZ(%),$(FUZZ)))
# $(call written,LINES): the target has these lines; it is as old as its last change.
written = mkdir -p $(@D) && printf '%s\n' $(1:%='%') > $@.new && { cmp -s $@.new $@ && rm $@.new || mv $@.new $@; }
FORCE:

# $(call tested,NAME,LIBRARY,FLAGS): the program and the tests of a build. osm-gen-toy has a dialect of the tests:
# tests/dialect/ stands in for src/dialect/registry.c. The parser of options, which a fuzzer tries, is the program's.
# kubeone-expand expands KubeOneClusters without a repository, node-formats writes a node configuration in every format,
define tested
$(BUILD)/$(1)/osm-gen: $$(call program,$(1)) $(BUILD)/$(1)/$(2)
$(BUILD)/$(1)/osm-gen-toy: $$(call program,$(1)) $(BUILD)/$(1)/tests/dialect/toy.o $(BUILD)/$(1)/$(2)
$(BUILD)/$(1)/template-cases: $$(TEMPLATE:%.c=$(BUILD)/$(1)/%.o) $(BUILD)/$(1)/$(2)
$(BUILD)/$(1)/kubeone-expand: $(BUILD)/$(1)/tests/kubeone/expand.o $(BUILD)/$(1)/$(2)
$(BUILD)/$(1)/node-formats: $(BUILD)/$(1)/tests/userdata/node_formats.o $(BUILD)/$(1)/$(2)
$(BUILD)/$(1)/osm-gen $(BUILD)/$(1)/osm-gen-toy $(BUILD)/$(1)/template-cases $(BUILD)/$(1)/kubeone-expand $(BUILD)/$(1)/node-formats:
	@echo "  LD $$@"
	@$$(CC) $(3) -o $$@ $$^ $$(pkg_libs) -lpthread -lm
$(BUILD)/$(1)/unit: $$(UNIT:%.c=$(BUILD)/$(1)/%.o) $(BUILD)/$(1)/tests/unit/main.o $(BUILD)/$(1)/tests/unit/system_calls.o $(BUILD)/$(1)/$(2)
	@echo "  LD $$@"
	@$$(CC) $(3) -o $$@ $$^ $$(pkg_libs) -lcmocka -lpthread -lm
$(BUILD)/$(1)/fuzz-seeds: $$(FUZZ:%.c=$(BUILD)/$(1)/%.o) $(BUILD)/$(1)/tests/fuzz/replay.o $$(call without_main,$(1)) $(BUILD)/$(1)/$(2)
	@echo "  LD $$@"
	@$$(CC) $(3) -o $$@ $$^ $$(pkg_libs) -lpthread -lm
# One program has every harness, each by a name of its own.
$$(FUZZ:%.c=$(BUILD)/$(1)/%.o): HARNESS = -DLLVMFuzzerTestOneInput=fuzz_$$(patsubst %_fuzz,%,$$(notdir $$*))
$(BUILD)/$(1)/tests/unit/main.o: $(BUILD)/gen/unit_tests.def
$(BUILD)/$(1)/tests/fuzz/replay.o: $(BUILD)/gen/fuzz_harnesses.def
endef
without_main = $(filter-out %/main.o,$(call program,$(1)))
SHARED_LIB  := libosm-gen.so
$(eval $(call tested,asan,libosm-gen.a,$$(ASAN)))
$(eval $(call tested,release,libosm-gen.a,$$(RELEASE) $$(LDHARDEN)))
$(eval $(call tested,tsan,libosm-gen.a,$$(TSAN)))
$(eval $(call tested,coverage,libosm-gen.a,$$(COVERAGE)))
$(eval $(call tested,mutation,$(SHARED_LIB),$$(MUTATION) -Wl$$(comma)-rpath$$(comma)$$(CURDIR)/$(BUILD)/mutation))
$(eval $(call tested,plain,$(SHARED_LIB),$$(PLAIN) -Wl$$(comma)-rpath$$(comma)$$(CURDIR)/$(BUILD)/plain))
comma := ,

$(BUILD)/mutation/$(SHARED_LIB): $(call library,mutation)
	@$(CC) $(MUTATION) -shared -Wl,-soname,$(SHARED_LIB) -o $@ $^ $(pkg_libs) -lpthread -lm
$(BUILD)/plain/$(SHARED_LIB): $(call library,plain)
	@$(CC) $(PLAIN) -shared -Wl,-soname,$(SHARED_LIB) -o $@ $^ $(pkg_libs) -lpthread -lm

# The program with one mistake in it, which tests that look for secrets must notice.
$(BUILD)/osm-gen-leaky: $(call program,release) $(BUILD)/release/tests/leaky/leaky.o $(BUILD)/release/libosm-gen.a
	@echo "  LD $@"
	@$(CC) $(RELEASE) $(LDHARDEN) -Wl,--wrap=secrecy_taint_userinfo -o $@ $^ $(pkg_libs) -lpthread -lm

# ---- tests --------------------------------------------------------------------------------------

FUZZ_BIN    := $(FUZZ:%.c=$(BUILD)/fuzz/%)

$(BUILD)/fuzz/tests/fuzz/%: $(BUILD)/fuzz/tests/fuzz/%.o $(BUILD)/fuzz/libosm-gen.a
	@echo "  LD $@"
	@$(CLANG) $(FUZZING) -fsanitize=fuzzer -o $@ $(filter %.o,$^) $(filter %.a,$^) $(pkg_libs) -lpthread -lm
$(BUILD)/fuzz/tests/fuzz/options_fuzz: $(call without_main,fuzz)

$(BUILD)/template-cases: $(TEMPLATE:%.c=$(BUILD)/release/%.o) $(BUILD)/release/libosm-gen.a
	@echo "  LD $@"
	@$(CC) $(RELEASE) $(LDHARDEN) -o $@ $^ $(pkg_libs) -lpthread -lm

# The names in T, as ci/run-tests has them: T=yaml, T=unit/yaml, T=tests/unit/yaml_test.c.
c_tests = $(patsubst %,unit/%,$(patsubst %_test,%,$(basename $(notdir $(T)))))
unit: ## build and run the C tests only, with sanitizers; T=osm_settings: tests/unit/osm_settings_test.c alone
	@ci/install --look build unit
	@ci/run-tests all $(or $(c_tests),'unit/*')

# Recipes that make what they run use every core, unless make was given a number.
JOBS    = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc))

test: ## the tests that a person waits for, five minutes on two cores; T=cli/plan: one suite; installs what it needs
	@ci/install --allowed build unit test
	@ci/run-tests test $(T)

test-all: ## every test, with sanitizers: also machines that boot, roots, releases, big fleets, memory and hostile sizes; T=golden: one suite
	@ci/install --allowed build unit test test-all
	@ci/run-tests all $(T)

test-slow: ## what test-all has beside test: slow suites, and the C tests, goldens and seeds of the fuzzers with sanitizers
	@ci/install --allowed build unit test test-all
	@ci/run-tests slow

node-test: ## real kubelets and containerds read the profiles, a real machine joins a cluster (needs Go)
	@ci/install build unit test test-all
	@$(MAKE) --no-print-directory $(JOBS) $(BUILD)/osm-gen
	@ci/run-tests node

cluster-test: ## the output in clusters of real programs: API servers, Flux, Argo CD's engine, machine-controller, webhooks, nodes of Gardener's contracts, machine-controller-manager (needs Go, root)
	@ci/install build unit test test-all
	@$(MAKE) --no-print-directory $(JOBS) $(BUILD)/osm-gen
	@tests/cluster/run.sh
	@tests/cluster/run.sh pools
	@tests/cluster/run.sh first-apply
	@tests/cluster/run.sh joining
	@tests/cluster/run.sh gardener
	@tests/cluster/run.sh machine-controller-manager

cluster-bench: ## Flux's time for 1,000 MachineDeployments that have not changed, cut into parts and as a whole (needs Go, root)
	@ci/install build unit test test-all
	@$(MAKE) --no-print-directory $(JOBS) $(BUILD)/osm-gen
	@tests/cluster/run.sh bench

portability: ## build and test on Debian 13 and Ubuntu 24.04, for aarch64, with musl; install every package and run the demo (needs root)
	@ci/install build unit test test-all
	@python3 -c 'import ensurepip' 2>/dev/null || ci/install recipes
	@ci/portability debian-13 ubuntu-24.04 aarch64 musl deb static packages

oracle: $(BUILD)/osm-gen ## compare with the real controller, sops and age (needs Go)
	@tests/oracle/run.sh

oracle-fuzz: $(BUILD)/asan/template-cases ## compare templates with Go's, live: make oracle-fuzz SECONDS=60 (needs Go)
	@tests/oracle/fuzz.sh $(SECONDS) $(SEED)

template-cases: $(BUILD)/template-cases ## build/template-cases: template cases in, results out

$(BUILD)/age-vectors: $(BUILD)/asan/tests/readers/age_vectors.o $(BUILD)/asan/libosm-gen.a
	@echo "  LD $@"
	@$(CC) $(ASAN) -o $@ $^ $(pkg_libs) -lpthread -lm

readers: ## other programs read what osm-gen writes: sops, age, Flux, npm's sops-age, kubeconform, editors; SARIF's schema (needs Go, npm)
	@ci/install build unit test test-all
	@$(MAKE) --no-print-directory $(JOBS) $(BUILD)/osm-gen $(BUILD)/age-vectors $(BUILD)/asan/unit
	@tests/readers/run.sh
	@tests/readers/reports.sh
	@OSM_GEN=$(CURDIR)/$(BUILD)/osm-gen tests/readers/schemas.sh
	@tests/readers/places.sh
	@OSM_GEN=$(CURDIR)/$(BUILD)/osm-gen tests/readers/kms.sh
	@OSM_GEN=$(CURDIR)/$(BUILD)/osm-gen tests/readers/settings.sh

recipes: $(BUILD)/osm-gen ## run the recipes of ci/recipes as GitHub, GitLab, Tekton, Argo, pre-commit and Renovate do (needs Go, npm)
	@ci/install build unit test
	@python3 -c 'import ensurepip' 2>/dev/null || ci/install recipes
	@OSM_GEN=$(CURDIR)/$(BUILD)/osm-gen tests/recipes/run.sh

demo: ## run the main job on the sample fleet in a scratch clone; installs what it needs
	@ci/install --allowed build
	@$(MAKE) --no-print-directory $(JOBS) $(BUILD)/osm-gen
	@ci/demo

$(BUILD)/bench-templates: $(BUILD)/release/tests/bench/templates.o $(filter %/datasets.o %/types.o %/data.o,$(TEMPLATE:%.c=$(BUILD)/release/%.o)) $(BUILD)/release/libosm-gen.a
	@echo "  LD $@"
	@$(CC) $(RELEASE) $(LDHARDEN) -o $@ $^ $(pkg_libs) -lpthread -lm

$(BUILD)/bench-seal: $(BUILD)/release/tests/bench/seal.o $(BUILD)/release/libosm-gen.a
	@echo "  LD $@"
	@$(CC) $(RELEASE) $(LDHARDEN) -o $@ $^ $(pkg_libs) -lpthread -lm

$(BUILD)/bench-floor: $(BUILD)/release/tests/bench/floor.o $(BUILD)/release/libosm-gen.a
	@echo "  LD $@"
	@$(CC) $(RELEASE) $(LDHARDEN) -o $@ $^ $(pkg_libs) -lpthread -lm

bench: $(BUILD)/osm-gen $(BUILD)/osm-gen-static $(BUILD)/bench-templates $(BUILD)/bench-seal $(BUILD)/bench-floor ## time fleets of 1,000 and 10,000 MachineDeployments against their peers
	@tests/bench/instructions.sh
	@tests/bench/run.sh
	@tests/bench/templates.sh
	@tests/bench/seal.sh
	@tests/bench/gardener.sh
	@tests/bench/shards.sh
	@tests/bench/history.sh

hostile: $(BUILD)/osm-gen ## repositories made to exhaust a run, at full size: memory and time of each
	@OSM_GEN_HOSTILE=full OSM_GEN=$(CURDIR)/$(BUILD)/osm-gen tests/cli/hostile_size.sh
	@OSM_GEN_HOSTILE=full OSM_GEN=$(CURDIR)/$(BUILD)/osm-gen tests/cli/hostile_growth.sh

faults: $(BUILD)/osm-gen ## have every allocation, and every call that changes a file, fail one at a time: make faults, or a part: make faults PART=2/4
	@OSM_GEN_FAULTS=$(or $(PART),all) OSM_GEN=$(CURDIR)/$(BUILD)/osm-gen tests/cli/write_faults.sh
	@OSM_GEN_FAULTS=$(or $(PART),all) OSM_GEN=$(CURDIR)/$(BUILD)/osm-gen tests/cli/faults.sh

# Suites that use several threads. A run ends at the first race.
THREADED := determinism shard plan proofs
tsan: ## run goldens and tests that use several threads with the thread sanitizer
	@ci/install build unit test
	@$(MAKE) --no-print-directory $(JOBS) $(BUILD)/tsan/osm-gen
	@TSAN_OPTIONS=halt_on_error=1 OSM_GEN=$(CURDIR)/$(BUILD)/tsan/osm-gen tests/golden/run.py
	@set -e; for suite in $(THREADED); do \
		TSAN_OPTIONS=halt_on_error=1 OSM_GEN=$(CURDIR)/$(BUILD)/tsan/osm-gen tests/cli/$$suite.sh; done

# What is linked of a build for its tests.
tests_of = $(foreach name,osm-gen osm-gen-toy template-cases unit fuzz-seeds,$(BUILD)/$(1)/$(name))

coverage: ## which lines of src/ the tests run, a folder a line; at least 90 % in total
	@ci/install build unit test
	@$(MAKE) --no-print-directory $(JOBS) $(call tests_of,coverage) $(BUILD)/osm-gen-leaky $(BUILD)/coverage/node-formats $(BUILD)/coverage/kubeone-expand
	@ci/coverage

why: ## which tests run a function, after make coverage: make why F=osm_choose
	@ci/coverage why $(or $(F),$(error which function? make why F=osm_choose))

MUTANTS ?= 500
mutants: ## change a line of src/ at a time, the tests must notice: make mutants MUTANTS=500 SEED=1
	@ci/install build unit test
	@$(MAKE) --no-print-directory $(JOBS) $(call tests_of,coverage) $(call tests_of,mutation) $(BUILD)/plain/osm-gen $(BUILD)/plain/osm-gen-toy
	@tests/mutation/run.py --mutants $(MUTANTS) --seed $(or $(SEED),1) $(if $(KINDS),--kinds $(KINDS))

SECONDS ?= 60
fuzz: ## search for crashes in every parser: make fuzz SECONDS=60
	@ci/install build fuzz
	@$(MAKE) --no-print-directory $(JOBS) $(FUZZ_BIN)
	@ci/fuzz $(SECONDS) $(FUZZ_BIN)

$(BUILD)/secrecy-fuzz: $(BUILD)/release/tests/unit/secrecy_fuzz.o $(BUILD)/release/tests/unit/tmpl_canary_test.o $(BUILD)/release/libosm-gen.a
	@echo "  LD $@"
	@$(CC) $(RELEASE) $(LDHARDEN) -o $@ $^ $(pkg_libs) -lcmocka -lpthread -lm

CASES ?= 1000000
secrecy-fuzz: $(BUILD)/secrecy-fuzz ## search for templates that show a secret: make secrecy-fuzz CASES=1000000 SEED=1
	@$(BUILD)/secrecy-fuzz $(CASES) $(SEED)

ADOPT_CASES ?= 2000
adopt-random: $(BUILD)/osm-gen ## plant secrets in exports and adopt them: make adopt-random ADOPT_CASES=2000 SEED=1
	@python3 tests/cli/adopt_random.py $(BUILD)/osm-gen $(ADOPT_CASES) $(or $(SEED),1)

MUTATE_CASES ?= 3000
mutate-random: $(BUILD)/osm-gen ## what people and tools do to one file: make mutate-random MUTATE_CASES=3000 SEED=1
	@MUTATE_CASES=$(MUTATE_CASES) MUTATE_SEED=$(or $(SEED),1) OSM_GEN=$(CURDIR)/$(BUILD)/osm-gen tests/cli/mutate_random.sh

REPOSITORY_SECONDS ?= 3600
repositories-random: $(BUILD)/asan/osm-gen $(BUILD)/osm-gen ## damage files of repositories, sanitizers on: make repositories-random REPOSITORY_SECONDS=3600 SEED=1
	@REPOSITORY_SECONDS=$(REPOSITORY_SECONDS) REPOSITORY_SEED=$(or $(SEED),1) OSM_GEN=$(CURDIR)/$(BUILD)/osm-gen tests/cli/repositories_random.sh

PROOFS_CASES ?= 300
proofs-random: $(BUILD)/osm-gen ## random histories with and without proofs: make proofs-random PROOFS_CASES=300 SEED=1
	@python3 tests/cli/proofs_random.py $(BUILD)/osm-gen $(PROOFS_CASES) $(or $(SEED),1)

MERGE_PAIRS ?= 200
merge-random: $(BUILD)/osm-gen ## merge and rebase random pull requests with output: make merge-random MERGE_PAIRS=200 SEED=1
	@python3 tests/cli/merge_random.py $(BUILD)/osm-gen $(MERGE_PAIRS) $(or $(SEED),1)

KUBEONE_CASES ?= 500
kubeone-random: $(BUILD)/asan/kubeone-expand ## compare random KubeOneClusters with a model of KubeOne's rules: make kubeone-random KUBEONE_CASES=500 SEED=1
	@python3 tests/kubeone/random_cases.py $(BUILD)/asan/kubeone-expand $(KUBEONE_CASES) $(or $(SEED),1)

KUSTOMIZE_CASES ?= 200
kustomize-random: $(BUILD)/osm-gen ## compare random overlays with what kustomize prints: make kustomize-random KUSTOMIZE_CASES=200 SEED=1 (needs Go)
	@KUSTOMIZE_CASES=$(KUSTOMIZE_CASES) SEED=$(or $(SEED),1) tests/cli/kustomize_random.sh

# Everything compiled as it is used, nothing linked: what `make lint` does with WERROR=1.
objects: $(patsubst %.c,$(BUILD)/release/%.o,$(SRC) $(CMD) $(TEMPLATE) tests/bench/templates.c tests/bench/seal.c tests/bench/floor.c tests/leaky/leaky.c) \
		$(CXXSRC:%.cc=$(BUILD)/release/%.o) $(patsubst %.c,$(BUILD)/asan/%.o,$(UNIT) tests/unit/main.c tests/unit/system_calls.c tests/unit/secrecy_fuzz.c $(FUZZ) tests/fuzz/replay.c tests/readers/age_vectors.c tests/userdata/node_formats.c tests/kubeone/expand.c)

# ---- care ---------------------------------------------------------------------------------------

lint: ## warnings, layers, format, clang-tidy, cppcheck, shellcheck, hardening
	@ci/install build unit test lint
	@$(MAKE) --no-print-directory $(JOBS) $(BUILD)/osm-gen
	@ci/lint

example: ## copy the jobs into docs/example
	ci/example

profiles: ## write profiles/ anew from profiles/fragments/
	@ci/profiles

format: ## lay out every C file
	clang-format -i $$(git ls-files '*.c' '*.h')

# Folders as GNU's coding standards name them; DESTDIR goes in front of each: make install PREFIX=/usr DESTDIR=root
PREFIX  ?= /usr/local
prefix  ?= $(PREFIX)
bindir  ?= $(prefix)/bin
datadir ?= $(prefix)/share
mandir  ?= $(datadir)/man
zshdir  ?= $(datadir)/zsh/site-functions
INSTALL ?= install
# What runs a program of another processor's: RUN=qemu-aarch64-static
RUN     ?=

# Manual pages and completion, which the program prints.
$(BUILD)/share/man/man1/osm-gen.1: $(BUILD)/osm-gen ci/share
	@ci/share $(BUILD)/share $(RUN) $(BUILD)/osm-gen
	@touch $@

# Pairs of a pattern below build/share and of the folder that its files go to.
SHARED    = man/man1/*.1:$(mandir)/man1 bash-completion/completions/*:$(datadir)/bash-completion/completions \
            zsh/site-functions/*:$(zshdir) fish/vendor_completions.d/*:$(datadir)/fish/vendor_completions.d
# $(call each_shared,COMMANDS): with $$from and $$to of each file.
each_shared = for pair in $(foreach pair,$(SHARED),"$(pair)"); do \
	for from in $(BUILD)/share/$${pair%%:*}; do to="$(DESTDIR)$${pair\#*:}/$${from\#\#*/}"; $(1) || exit 1; done; done

install: $(BUILD)/osm-gen $(BUILD)/share/man/man1/osm-gen.1 ## put program, manual pages and completion into $(PREFIX) (/usr/local) below $(DESTDIR)
	@$(INSTALL) -d "$(DESTDIR)$(bindir)"
	$(INSTALL) -m 0755 $(BUILD)/osm-gen "$(DESTDIR)$(bindir)/osm-gen"
	@$(call each_shared,$(INSTALL) -d "$${to%/*}" && $(INSTALL) -m 0644 "$$from" "$$to")

uninstall: $(BUILD)/share/man/man1/osm-gen.1 ## remove what `make install` put there, with the same PREFIX and DESTDIR
	rm -f "$(DESTDIR)$(bindir)/osm-gen"
	@$(call each_shared,rm -f "$$to")

# ---- documents ------------------------------------------------------------------------------------

site: ## build/site: the documents as a site, with a reference that the program prints; links are checked
	@ci/install build site
	@$(MAKE) --no-print-directory $(JOBS) $(BUILD)/osm-gen
	@ci/site/build $(BUILD)/osm-gen

# ---- packages -------------------------------------------------------------------------------------

version := $(shell cat VERSION)

static: $(BUILD)/osm-gen-static ## build/osm-gen-static: one file without libraries, for images and other distributions

dist: ## build/osm-gen-VERSION.tar.gz: the sources of the last commit, always the same bytes
	@ci/packaging/dist $(BUILD)/osm-gen-$(version).tar.gz

sbom: $(BUILD)/osm-gen-static.cdx.json ## build/osm-gen-static.cdx.json: what the static program is linked from (CycloneDX)
$(BUILD)/osm-gen-static.cdx.json: $(BUILD)/osm-gen-static ci/packaging/sbom
	@ci/packaging/sbom $< $<.map >$@.part
	@mv $@.part $@

deb: ## build/deb: the Debian package of the last commit, after lintian
	@ci/install build package
	@ci/packaging/deb $(BUILD)/deb

rpm: dist ## build/rpm: the RPM package of the last commit (needs rpmbuild; made for Fedora)
	@ci/packaging/rpm $(BUILD)/rpm $(BUILD)/osm-gen-$(version).tar.gz

release: ## build/osm-gen-VERSION: all that is published of the last commit, signed: KEY=FILE (ssh, minisign), GPG_KEY=FINGERPRINT (needs root)
	@ci/install build unit test test-all
	@ci/portability release
	@ci/packaging/release $(BUILD)/osm-gen-$(version) $(BUILD)/release-parts "$(KEY)" "$(GPG_KEY)"

clean: ## remove build/
	rm -rf $(BUILD)
