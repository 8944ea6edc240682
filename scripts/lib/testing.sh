# shellcheck shell=bash
# How the tests are run: by scripts/test, and by .ci/run for those against real servers.

# With these words tests are built and run; with others everything would be built twice.
checked=(--explicit-target-dependency-import-check error)
# Where nobody debugs, lines are enough: a sixth less to build. Package.swift optimizes there what tests spend their time in.
if [[ ${ALERTBOT_LESS_TO_DEBUG-} == 1 ]]; then checked+=(-Xswiftc -gline-tables-only); fi

# What failed, out of a run's output: each failed test with the lines of its issues, and the summary as the last one. A line
# that begins with another sign belongs to something else.
what_failed() { awk '/^(✘|✔|◇|↳|⚠|➜|±)/ { shown = /^✘/ || (shown && /^↳/) } shown' "$1"; }

# Runs a test runner. When some tests fail, they stand together again at the end of the output, where they are found among
# thousands of lines, with the runner's summary after them.
run_noted() {
    local log status=0
    log=$(mktemp)
    # Every test is a Swift Testing test, and they run in parallel; without the other runner its empty summary goes, too. By
    # itself the runner begins all of them at once: what waits for a socket then stands in line behind thousands until its limit
    # of time is over, and while the end of a process is noted late, one of the runner's threads turns in circles.
    SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$((4 * $(nproc))) "$@" 2>&1 | tee "$log" || status=$?
    if ((status)) && grep -q '^✘' "$log"; then
        say "== what failed (${SECONDS} s)"
        what_failed "$log"
    fi
    rm -f "$log"
    return "$status"
}

# Runs built tests; arguments go to `swift test`.
run_tests() { run_noted swift test --skip-build --disable-xctest "${checked[@]}" "$@"; }

# The same without the package manager, whose lock keeps every build waiting while tests run. Where no test matches it fails.
run_tests_beside_builds() {
    NO_COLOR=1 run_noted "$(swift build --show-bin-path)/alertbotPackageTests.xctest" --testing-library swift-testing "$@"
}
