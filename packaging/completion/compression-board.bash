# Completion of compression-board for bash. The program lists its own commands and flags.
_compression_board() {
  local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]}
  if [ "$COMP_CWORD" -eq 1 ] && [[ $word != -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(compression-board --list-commands)" -- "$word")
  elif [[ $word == -* ]]; then
    [[ $COMP_CWORD -gt 1 && $command != -* ]] || command=serve
    mapfile -t COMPREPLY < <(compgen -W "$(compression-board "$command" --list-flags 2>/dev/null)" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
    compopt -o filenames
  fi
}
complete -F _compression_board compression-board
