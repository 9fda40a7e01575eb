# Sourced by the other scripts, which set $root to the checkout: keeps the virtual environment
# $root/.venv, made once and brought up to date when pyproject.toml changes. When it is current,
# this costs one comparison and starts no process.
#
# The stamp, written last, holds the checkout's place, the interpreter and pyproject.toml as it
# was installed. An environment without a stamp is half made: it is thrown away and made again.

venv=$root/.venv
stamp=$venv/tbgen.stamp
log=$venv/setup.log

say() { printf 'tbgen: %s\n' "$*" >&2; }
die() { say "$@"; exit 1; }

# Print the real path of the interpreter $1 if it is one that tbgen supports.
supported() {
    local path
    path=$("$1" -c 'if 1:
        import os, sys
        if (3, 11) <= sys.version_info[:2] <= (3, 14):
            print(os.path.realpath(sys.executable))' 2>/dev/null) || return
    [[ -n $path ]] && printf '%s\n' "$path"
}

# Print the interpreter to use: $PYTHON when it is set, else the first that will do.
find_interpreter() {
    local candidate install='Debian: apt install python3 python3-venv'
    if [[ -n ${PYTHON:-} ]]; then
        supported "$PYTHON" && return
        die "PYTHON=$PYTHON is not a working Python 3.11 to 3.14; set it to one, or unset it"
    fi
    for candidate in python3 python3.14 python3.13 python3.12 python3.11; do
        supported "$candidate" && return
    done
    die "no Python 3.11 to 3.14 found; install one ($install), or set PYTHON to its path"
}

# Return 0 if the environment is current, 1 if it needs the packages of a newer pyproject.toml,
# 2 if it must be made anew. It must be an environment of the interpreter $1, if that is given.
check_environment() {
    local place='' interpreter='' installed='' wanted=''
    [[ -f $stamp && -x $venv/bin/python ]] || return 2
    { IFS= read -r place; IFS= read -r interpreter; IFS= read -r -d '' installed; } <"$stamp" || :
    [[ $place == "$root" ]] || return 2
    [[ -z $1 || $1 == "$interpreter" ]] || return 2
    IFS= read -r -d '' wanted <"$root/pyproject.toml" || :
    [[ $installed == "$wanted" ]] || return 1
}

# Stop with the reason that the log gives and with what to do about it: $1.
setup_failed() {
    local reason
    reason=$(grep -o 'ERROR: .*' "$log" | tail -n 1) || :
    die "set-up failed: ${reason:+${reason#ERROR: }; }$1 (log: $log)"
}

# Make an empty environment. Without Debian's python3-venv it gets no pip of its own.
make_environment() {
    local interpreter=$1 options=()
    if ! "$interpreter" -c 'import venv; from ensurepip import version' 2>/dev/null; then
        "$interpreter" -c 'import venv, pip' 2>/dev/null ||
            die "set-up failed: $interpreter has neither venv nor pip; install them" \
                "(Debian: apt install python3-venv), then run this again"
        options=(--without-pip)
    fi
    rm -rf -- "$venv"
    mkdir -- "$venv" 2>/dev/null || die "set-up failed: cannot write to $root; make it writable"
    "$interpreter" -m venv "${options[@]}" "$venv" >"$log" 2>&1 ||
        setup_failed 'Debian: apt install python3-venv, then run this again'
}

install_packages() {
    local interpreter=$1 pip=("$venv/bin/python" -m pip)
    [[ -x $venv/bin/pip ]] || pip=("$interpreter" -m pip --python "$venv/bin/python")
    PIP_USER=0 "${pip[@]}" install --disable-pip-version-check --quiet \
        --editable "$root[dev]" >"$log" 2>&1
}

write_stamp() {
    printf '%s\n%s\n%s' "$root" "$1" "$2" >"$stamp.new"
    mv -- "$stamp.new" "$stamp"
}

# Bring the environment up to date; the caller holds the lock.
set_up() {
    local interpreter='' state=0 project=''
    if [[ -n ${PYTHON:-} ]]; then
        interpreter=$(find_interpreter) || exit 1
    fi
    check_environment "$interpreter" || state=$?
    IFS= read -r -d '' project <"$root/pyproject.toml" || :
    if [[ $state == 1 ]]; then
        say 'bringing .venv up to date with pyproject.toml ...'
        { read -r _; IFS= read -r interpreter; } <"$stamp"
        mv -- "$stamp" "$stamp.old"
        if ! install_packages "$interpreter"; then
            mv -- "$stamp.old" "$stamp"
            setup_failed 'check the network and pyproject.toml, then run this again'
        fi
        rm -f -- "$stamp.old"
        write_stamp "$interpreter" "$project"
    elif [[ $state == 2 ]]; then
        interpreter=${interpreter:-$(find_interpreter)} || exit 1
        say 'setting up .venv, once; this takes about half a minute ...'
        make_environment "$interpreter"
        install_packages "$interpreter" || setup_failed 'check the network and the disk, then run this again'
        write_stamp "$interpreter" "$project"
    fi
}

# The one call that the scripts make: afterwards $venv/bin holds all commands.
ensure_environment() {
    local lock
    if [[ -z ${PYTHON:-} ]] && check_environment ''; then
        return
    fi
    { exec {lock}>"$root/.venv.lock"; } 2>/dev/null ||
        die "set-up failed: cannot write to $root; make it writable"
    command -v flock >/dev/null || die 'set-up failed: no flock command; install util-linux'
    if ! flock --nonblock "$lock"; then
        say 'another process is setting up .venv; waiting for it ...'
        flock "$lock"
    fi
    set_up
    exec {lock}>&-
}
