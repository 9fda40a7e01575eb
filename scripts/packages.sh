# Sourced by scripts that install Debian packages for tests, which are skipped without them.

say() { printf 'tbgen: %s\n' "$*" >&2; }

missing=()
# Note the packages $2 ... as missing if there is no program $1. Debian keeps games apart.
need() { PATH=$PATH:/usr/games command -v "$1" >/dev/null || missing+=("${@:2}"); }

# Install what is missing for $1, with apt, which takes root or sudo.
install_missing() {
    ((${#missing[@]})) || return 0
    if ! command -v apt-get >/dev/null; then
        say "no ${missing[*]}, and no apt-get to install them with: $1 are skipped"
        return
    fi
    local package as_root=()
    if ((EUID)); then
        as_root=(sudo --non-interactive)
    fi
    say "installing ${missing[*]} for $1 ..."
    "${as_root[@]}" apt-get update --quiet >/dev/null 2>&1 || true
    for package in "${missing[@]}"; do # one by one: what Debian lacks hides nothing else
        "${as_root[@]}" apt-get install --quiet --yes --no-install-recommends "$package" >/dev/null 2>&1 ||
            say "$package cannot be installed here: its tests are skipped"
    done
}
