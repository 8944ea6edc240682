# shellcheck shell=bash
# How the tests are run: by scripts/test, and by .ci/run for those against real servers.

# With these words tests are built and run; with others everything would be built twice.
checked=(--explicit-target-dependency-import-check error)
# Where nobody debugs, lines are enough: a sixth less to build.
if [[ ${ALERTBOT_LINES_ONLY-} == 1 ]]; then checked+=(-Xswiftc -gline-tables-only); fi

# What failed, out of a run's output: each failed test with the lines of its issues, and the summary as the last one. A line
# that begins with another sign belongs to something else.
what_failed() { awk '/^(✘|✔|◇|↳|⚠|➜|±)/ { shown = /^✘/ || (shown && /^↳/) } shown' "$1"; }

# Runs built tests; arguments go to `swift test`. When some fail, they stand together again at the end of the output, where they
# are found among thousands of lines, with the runner's summary after them.
run_tests() {
    local log status=0
    log=$(mktemp)
    # Every test is a Swift Testing test, and they run in parallel; without the other runner its empty summary goes, too. By
    # itself the runner begins all of them at once: what waits for a socket then stands in line behind thousands until its limit
    # of time is over, and while the end of a process is noted late, one of the runner's threads turns in circles.
    SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$((4 * $(nproc))) \
        swift test --skip-build --disable-xctest "${checked[@]}" "$@" 2>&1 | tee "$log" || status=$?
    if ((status)) && grep -q '^✘' "$log"; then
        say "== what failed (${SECONDS} s)"
        what_failed "$log"
    fi
    rm -f "$log"
    return "$status"
}
