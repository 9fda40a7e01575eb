# Sourced by the other scripts, which set $root to the checkout: keeps the virtual environment
# $root/.venv, made once, and brought up to date when pyproject.toml changes or a script needs
# more of it. When it is current, this costs one comparison and starts no process.
#
# It has what the program needs; an *extra* of pyproject.toml is added for the first script that
# needs it. The extra "dev" includes all others.
#
# The stamp, written last, holds the checkout's place, the interpreter, the extras and
# pyproject.toml as it was installed. An environment without a stamp is half made: it is thrown
# away and made again.

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

# Read the stamp, if there is one, into four variables.
read_stamp() {
    stamped_place='' stamped_interpreter='' stamped_extras='' stamped_project=''
    [[ -f $stamp ]] || return 1
    {
        IFS= read -r stamped_place
        IFS= read -r stamped_interpreter
        IFS= read -r stamped_extras
        IFS= read -r -d '' stamped_project
    } <"$stamp" || :
    # A stamp from before there were extras goes on with pyproject.toml: all were installed.
    [[ $stamped_extras != '['* ]] || stamped_extras=dev
}

# Return 0 if the extras $1 include the extra $2.
has_extra() { [[ -z $2 || " $1 " == *" $2 "* || " $1 " == *' dev '* ]]; }

# Return 0 if the environment is current and has the extra $1, 1 if it needs other packages, 2 if
# it must be made anew. It must be an environment of the interpreter $2, if that is given.
check_environment() {
    local extra=$1 interpreter=$2 project=''
    read_stamp && [[ -x $venv/bin/python && $stamped_place == "$root" ]] || return 2
    [[ -z $interpreter || $interpreter == "$stamped_interpreter" ]] || return 2
    IFS= read -r -d '' project <"$root/pyproject.toml" || :
    [[ $stamped_project == "$project" ]] && has_extra "$stamped_extras" "$extra" || return 1
}

# Stop with the reason that the log gives and with what to do about it: $1.
setup_failed() {
    local reason
    reason=$(grep -o 'ERROR: .*' "$log" | tail -n 1) || :
    die "set-up failed: ${reason:+${reason#ERROR: }; }$1 (log: $log)"
}

# Return 0 if the interpreter $1 has venv and a pip that installs into other environments.
has_pip() {
    "$1" -c 'if 1:
        import pip, venv
        assert tuple(map(int, pip.__version__.split(".")[:2])) >= (22, 3)' 2>/dev/null
}

# Make an empty environment. It gets a pip of its own, which takes seconds, only where there is no other.
make_environment() {
    local interpreter=$1 options=(--without-pip)
    if ! has_pip "$interpreter"; then
        "$interpreter" -c 'import venv; from ensurepip import version' 2>/dev/null ||
            die "set-up failed: $interpreter has neither venv nor pip; install them" \
                "(Debian: apt install python3-venv), then run this again"
        options=()
    fi
    rm -rf -- "$venv"
    mkdir -- "$venv" 2>/dev/null || die "set-up failed: cannot write to $root; make it writable"
    "$interpreter" -m venv "${options[@]}" "$venv" >"$log" 2>&1 ||
        setup_failed 'Debian: apt install python3-venv, then run this again'
}

# Install the program and the extras $2. Modules are compiled when they are first imported, and
# for development at once: what the compiler warns of would be an error in a test.
install_packages() {
    local interpreter=$1 extras=$2 pip=("$venv/bin/python" -m pip)
    [[ -x $venv/bin/pip ]] || pip=("$interpreter" -m pip --python "$venv/bin/python")
    PIP_USER=0 "${pip[@]}" install --disable-pip-version-check --quiet --no-compile \
        --editable "$root${extras:+[${extras// /,}]}" >"$log" 2>&1 || return
    if has_extra "$extras" dev; then
        "$venv/bin/python" -m compileall -qq -j 0 "$venv/lib" >>"$log" 2>&1 || :
    fi
}

write_stamp() {
    local interpreter=$1 extras=$2 project=$3
    printf '%s\n%s\n%s\n%s' "$root" "$interpreter" "$extras" "$project" >"$stamp.new"
    mv -- "$stamp.new" "$stamp"
}

# Bring the environment up to date, with the extra $1; the caller holds the lock.
set_up() {
    local extra=$1 interpreter='' extras='' project='' state=0
    if [[ -n ${PYTHON:-} ]]; then
        interpreter=$(find_interpreter) || exit 1
    fi
    check_environment "$extra" "$interpreter" || state=$?
    IFS= read -r -d '' project <"$root/pyproject.toml" || :
    if [[ $state == 1 ]]; then
        interpreter=$stamped_interpreter
        extras=$stamped_extras
        if [[ $stamped_project == "$project" ]]; then
            say "adding the packages for $extra to .venv, once ..."
        else
            say 'bringing .venv up to date with pyproject.toml ...'
        fi
        has_extra "$extras" "$extra" || extras=${extras:+$extras }$extra
        mv -- "$stamp" "$stamp.old"
        if ! install_packages "$interpreter" "$extras"; then
            mv -- "$stamp.old" "$stamp"
            setup_failed 'check the network and pyproject.toml, then run this again'
        fi
        rm -f -- "$stamp.old"
        write_stamp "$interpreter" "$extras" "$project"
    elif [[ $state == 2 ]]; then
        interpreter=${interpreter:-$(find_interpreter)} || exit 1
        if [[ $extra == dev ]]; then
            say 'setting up .venv, once; this takes about a minute ...'
        else
            say 'setting up .venv, once; this takes about 15 seconds ...'
        fi
        make_environment "$interpreter"
        install_packages "$interpreter" "$extra" ||
            setup_failed 'check the network and the disk, then run this again'
        write_stamp "$interpreter" "$extra" "$project"
    fi
}

# The one call that the scripts make: afterwards $venv/bin has the program, and all that the
# extra $1 brings.
ensure_environment() {
    local extra=${1:-} lock
    if [[ -z ${PYTHON:-} ]] && check_environment "$extra" ''; then
        return
    fi
    { exec {lock}>"$root/.venv.lock"; } 2>/dev/null ||
        die "set-up failed: cannot write to $root; make it writable"
    command -v flock >/dev/null || die 'set-up failed: no flock command; install util-linux'
    if ! flock --nonblock "$lock"; then
        say 'another process is setting up .venv; waiting for it ...'
        flock "$lock"
    fi
    set_up "$extra"
    exec {lock}>&-
}
