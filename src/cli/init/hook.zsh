# Shellward: every line is judged when Enter is pressed. One that is not let through stays where it is, to be edited.
# Made by `shellward init zsh`; for the end of ~/.zshrc:  eval "$(shellward init zsh)"
if [[ -o interactive && -o zle ]]; then
    typeset -g __shellward_failed=
    # Process numbers come back; approvals for a session are for this shell.
    typeset -g __shellward_session="zsh-$$-${(%):-%D{%s}}-$RANDOM"

    __shellward_line() {
        %BIN% line --shell zsh --session "$__shellward_session" %OPTIONS% "$@"
    }

    __shellward_accept() {
        # What `vared` and `select` ask for is no command.
        if [[ $CONTEXT == (vared|select) ]]; then
            zle "__shellward_$WIDGET"
            return
        fi
        # What `!` stands for is what would run.
        if [[ -o banghist && ( $BUFFER == *'!'* || $BUFFER == '^'* ) ]]; then
            zle .expand-history
        fi
        emulate -L zsh
        local text=$PREBUFFER$BUFFER said= code=0
        if [[ $text == *[^[:space:]]* ]]; then
            said=$(__shellward_line --more <<<"$text" 2>&1)
            code=$?
            # Without an end it is not run, if zsh thinks so, too; the next line is judged together with it.
            if (( code == 3 )); then
                code=0
                if zsh -fn <<<"$text" 2>/dev/null; then
                    said=$(__shellward_line <<<"$text" 2>&1)
                    code=$?
                fi
            fi
            if (( code == 2 )); then
                said=
                zle -I
                __shellward_line --ask <<<"$text"
                code=$?
            elif [[ -n $said ]]; then
                zle -I
                print -r -- "$said"
            fi
        fi
        if (( code == 0 )) || [[ $code != [12] && $text == "$__shellward_failed" ]]; then
            __shellward_failed=
            zle "__shellward_$WIDGET"
            return
        fi
        if [[ $code != [12] ]]; then
            __shellward_failed=$text
            zle -I
            print -r -- "Shellward could not judge this line ($code). Enter once more runs it all the same."
        fi
    }

    for __shellward_widget in accept-line accept-and-hold accept-line-and-down-history accept-and-infer-next-history; do
        # Whatever was in its place before comes after it.
        if (( ! ${+widgets[__shellward_$__shellward_widget]} )); then
            zle -A "$__shellward_widget" "__shellward_$__shellward_widget"
            zle -N "$__shellward_widget" __shellward_accept
        fi
    done
    unset __shellward_widget
    # Incremental search knows accept-line by its name and accepts without asking it; another widget ends the search first.
    __shellward_found() { zle accept-line; }
    zle -N __shellward_found
    bindkey -M isearch '^M' __shellward_found
    bindkey -M isearch '^J' __shellward_found
fi
