#pragma once

/// \file For tests: processes under mpirun.

#include "tools/commands/program_run.hpp"
#include "tools/ranks/mpi_ranks.hpp"

#include <string>

namespace keyswap::tools {

/// Two cores stand for all ranks; a container's user may be root; Open MPI's leaks are its own.
inline std::string const mpirun =
    "ASAN_OPTIONS=detect_leaks=0 OMPI_MCA_rmaps_base_oversubscribe=1 timeout 120 mpirun "
    "--allow-run-as-root ";

/// For the SetUp() of tests that need mpirun: skips them with the reason where there is none.
inline void skip_without_mpirun() {
    if (!mpi_version() || run_shell("command -v mpirun").status != 0) {
        GTEST_SKIP() << "skipped because this build or machine has no MPI";
    }
}

} // namespace keyswap::tools
