# The line that zsh has after TAB: zsh -f _zsh.zsh FOLDER-OF-_osm-gen LINE
zmodload zsh/zpty
zpty shell "TERM=dumb zsh -f -i"
zpty -w shell "PS1=; fpath=(${(q)1} \$fpath); autoload -Uz compinit; compinit -u -D"
zpty -w shell 'show() { zle complete-word; print -r -- "BEGIN<$BUFFER>END"; zle -I; BUFFER=; zle accept-line }'
zpty -w shell 'zle -N show; bindkey "^I" show; print READY"YES"'
zpty -r shell out '*READYYES*'
zpty -n -w shell "$2"$'\t'
zpty -r shell out '*BEGIN<*>END*'
out=${out##*BEGIN<}
print -r -- "${out%%>END*}"
zpty -d shell
