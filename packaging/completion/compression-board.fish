# Completion of compression-board for fish. The program lists its own commands and flags.
function __compression_board_flags
    set -l words (commandline -opc)
    set -l command serve
    if test (count $words) -gt 1; and not string match -q -- '-*' $words[2]
        set command $words[2]
    end
    compression-board $command --list-flags 2>/dev/null
end
complete -c compression-board -n '__fish_is_first_arg' -a '(compression-board --list-commands)'
complete -c compression-board -n 'string match -q -- "-*" (commandline -ct)' -a '(__compression_board_flags)'
