functions[_proofmark_without_servers]=$functions[_proofmark]
_proofmark() {
    case "${words[2]}" in
        call|complete|prompt|read|subscribe)
            local -a found
            found=(${(f)"$(proofmark suggest --before "$LBUFFER" --after "$RBUFFER" 2>/dev/null)"})
            if (( $#found )); then
                compadd -S '' -- $found
                return
            fi
            ;;
    esac
    _proofmark_without_servers "$@"
}

