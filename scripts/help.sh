# Sourced by scripts without a parser: their --help is the comment at their head.

# Print it and end, if the first argument asks for it.
offer_help() {
    case ${1:-} in
        -h | --help)
            sed -n '1d; /^#/!q; s/^# \{0,1\}//p' "$0"
            exit
            ;;
    esac
}

# The same; and end with an error at options, or at more words than $1.
take_words() {
    local most=$1
    shift
    offer_help "$@"
    if (($# > most)) || [[ ${1:-} == -* ]]; then
        printf 'tbgen: %s does not take: %s (%s --help says what it does)\n' "$0" "$*" "$0" >&2
        exit 2
    fi
}
