# Shellward: every line is judged when Enter is pressed. One that is not let through stays where it is, to be edited.
# Made by `shellward init fish`; for ~/.config/fish/config.fish:  shellward init fish | source
if status is-interactive
    set -g __shellward_failed ''
    # Process numbers come back; approvals for a session are for this shell.
    set -g __shellward_session fish-$fish_pid-(date +%s)-(random)

    function __shellward_line
        %BIN% line --shell fish --session $__shellward_session %OPTIONS% $argv
    end

    function __shellward_enter
        set -l text (commandline -b | string collect)
        set -l code 0
        set -l said
        # A text without an end is not run: fish puts a new line below it. Since 3.4 fish says which that is.
        if string match -qr '^(3\.([4-9]|\d\d)|[4-9]|\d\d)' -- $version
            commandline --is-valid
            if test $status -eq 2
                commandline -f execute
                return
            end
        end
        if string match -qr '\S' -- "$text"
            set said (printf '%s\n' "$text" | __shellward_line 2>&1)
            set code $status
            if test $code -eq 2
                echo
                printf '%s\n' "$text" | __shellward_line --ask
                set code $status
                set said
                commandline -f repaint
            else if set -q said[1]
                echo
                printf '%s\n' $said
                commandline -f repaint
            end
        end
        if test $code -eq 0; or begin
                test $code -gt 2; and test "$text" = "$__shellward_failed"
            end
            set -g __shellward_failed ''
            commandline -f execute
            return
        end
        if test $code -gt 2
            set -g __shellward_failed "$text"
            echo
            echo "Shellward could not judge this line ($code). Enter once more runs it all the same."
            commandline -f repaint
        end
    end

    for __shellward_mode in default insert visual replace
        bind -M $__shellward_mode \r __shellward_enter
        bind -M $__shellward_mode \n __shellward_enter
    end
    set -e __shellward_mode
end
