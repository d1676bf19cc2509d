#include "tools/ranks/mpi_ranks.hpp"

#include "traces/errors/try.hpp"

namespace keyswap::tools {

Expected<std::unique_ptr<MpiRanks>> join_mpi_ranks(std::chrono::milliseconds /*patience*/) {
    return input_error(
        "--ranks mpi",
        "this build of keyswap has no MPI",
        "install Open MPI (tools/install-dependencies test) and build again, or give a "
        "number of ranks, which are threads then");
}

std::optional<std::string> mpi_version() {
    return std::nullopt;
}

} // namespace keyswap::tools
