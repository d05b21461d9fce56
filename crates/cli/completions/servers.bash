
_proofmark_with_servers() {
    _proofmark "$@"
    local found
    case "${COMP_WORDS[1]}" in
        call | complete | prompt | read | subscribe) ;;
        *) return 0 ;;
    esac
    found="$(proofmark suggest --before "${COMP_LINE:0:COMP_POINT}" --after "${COMP_LINE:COMP_POINT}" --breaks "${COMP_WORDBREAKS}" 2> /dev/null)"
    if [[ -n "${found}" ]]; then
        mapfile -t COMPREPLY <<< "${found}"
        if [[ "${found}" == *= ]]; then
            compopt -o nospace 2> /dev/null
        fi
    fi
    return 0
}
complete -F _proofmark_with_servers -o bashdefault -o default proofmark
