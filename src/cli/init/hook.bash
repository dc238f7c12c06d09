# Shellward: every line is judged when Enter is pressed. One that is not let through stays where it is, to be edited.
# Made by `shellward init bash`; for ~/.bashrc:  eval "$(shellward init bash)"
if [[ $- == *i* ]] && [[ -o emacs || -o vi ]] && ((BASH_VERSINFO[0] > 4 || BASH_VERSINFO[0] == 4 && BASH_VERSINFO[1] >= 3)); then
    __shellward_before=    # lines of an unfinished command that were let through
    __shellward_failed=    # the line that could not be judged
    __shellward_open=
    # Process numbers come back; approvals for a session are for this shell.
    __shellward_session="bash-$$-$(printf '%(%s)T' -1)-$RANDOM"

    # What the second half of the keys does: their own function, or nothing.
    __shellward_keys() {
        [[ $__shellward_open == "$1" ]] && return
        __shellward_open=$1
        local map enter=redraw-current-line next=redraw-current-line
        [[ $1 == yes ]] && enter=accept-line next=operate-and-get-next
        for map in emacs-standard vi-insert vi-command; do
            bind -m "$map" "\"\\C-x\\C-_a\": $enter"
            bind -m "$map" "\"\\C-x\\C-_o\": $next"
        done
    }

    __shellward_enter() {
        local line=$READLINE_LINE text code=0
        # An answer to a function that asks (`read -e`) is no command.
        if ((${#FUNCNAME[@]} > 1)); then
            __shellward_keys yes
            return
        fi
        # Somebody else has set PROMPT_COMMAND since, and nothing has said that a new command begins.
        if ! __shellward_is_told; then
            __shellward_tell
            # What has an end has run. Without one it goes on, or was given up: then the line stands alone.
            if [[ -z "$("$BASH" -n <<<"${__shellward_before%$'\n'}" 2>&1)" ]]; then
                __shellward_before=
            elif [[ $line == *[![:space:]]* ]]; then
                %BIN% line --shell bash --session "$__shellward_session" --more --ask %OPTIONS% <<<"$line"
                code=$?
                ((code == 3)) && code=0
            fi
            if ((code != 0)); then
                __shellward_keys no
                return
            fi
        fi
        # What `!` stands for is what would run.
        if [[ -o histexpand && ($line == *!* || $line == ^*) ]]; then
            line=$(history -p "$READLINE_LINE" 2>/dev/null) || line=$READLINE_LINE
        fi
        text=$__shellward_before$line
        if [[ $text == *[![:space:]]* ]]; then
            %BIN% line --shell bash --session "$__shellward_session" --more --ask %OPTIONS% <<<"$text"
            code=$?
            # Without an end it is not run, if bash thinks so, too; the next line is judged together with it.
            if ((code == 3)); then
                code=0
                if "$BASH" -n <<<"$text" 2>/dev/null; then
                    %BIN% line --shell bash --session "$__shellward_session" --ask %OPTIONS% <<<"$text"
                    code=$?
                fi
            fi
        fi
        if ((code == 0)) || [[ $code != [12] && $text == "$__shellward_failed" ]]; then
            __shellward_before=$text$'\n'
            __shellward_failed=
            __shellward_keys yes
            return
        fi
        if [[ $code != [12] ]]; then
            __shellward_failed=$text
            printf 'Shellward could not judge this line (%s). Enter once more runs it all the same.\n' "$code" >&2
        fi
        __shellward_keys no
    }

    # A primary prompt begins a new command.
    __shellward_new() { __shellward_before=; }
    __shellward_is_told() { [[ " ${PROMPT_COMMAND[*]} " == *__shellward_new* ]]; }
    __shellward_tell() {
        if [[ "$(declare -p PROMPT_COMMAND 2>/dev/null)" == "declare -a"* ]]; then
            PROMPT_COMMAND+=(__shellward_new)
        else
            PROMPT_COMMAND=${PROMPT_COMMAND:+$PROMPT_COMMAND$'\n'}__shellward_new
        fi
    }
    __shellward_is_told || __shellward_tell

    # The editor leaves its text in the line, where Enter judges it, and runs nothing by itself.
    __shellward_edit() {
        local file
        file=$(mktemp "${TMPDIR:-/tmp}/bash-line.XXXXXX") || return
        printf '%s\n' "$READLINE_LINE" >"$file"
        if eval "${VISUAL:-${EDITOR:-vi}} \"\$file\""; then
            READLINE_LINE=$(<"$file")
            READLINE_POINT=${#READLINE_LINE}
        fi
        rm -f -- "$file"
    }

    __shellward_keys yes
    for __shellward_map in emacs-standard vi-insert vi-command; do
        bind -m "$__shellward_map" -x '"\C-x\C-_s": __shellward_enter'
        bind -m "$__shellward_map" '"\C-m": "\C-x\C-_s\C-x\C-_a"'
        bind -m "$__shellward_map" '"\C-j": "\C-x\C-_s\C-x\C-_a"'
    done
    bind -m emacs-standard '"\C-o": "\C-x\C-_s\C-x\C-_o"'
    bind -m emacs-standard -x '"\C-x\C-e": __shellward_edit'
    bind -m vi-command -x '"v": __shellward_edit'
    unset __shellward_map
fi
