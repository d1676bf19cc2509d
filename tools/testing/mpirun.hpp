#pragma once

/// \file For tests: runs processes under mpirun.

#include "tools/ranks/mpi_ranks.hpp"
#include "tools/testing/program_run.hpp"

#include <string>

namespace keyswap::tools {

inline std::string const mpirun = KEYSWAP_TEST_MPIRUN " "; // tools/testing/mpirun

/// For SetUp() of tests that need mpirun: skips the test with a reason if it is missing.
inline void skip_without_mpirun() {
    if (!mpi_version() || run_shell("command -v mpirun").status != 0) {
        GTEST_SKIP() << "skipped because this build or machine has no MPI";
    }
}

} // namespace keyswap::tools
