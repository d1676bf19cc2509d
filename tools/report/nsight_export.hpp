#pragma once

#include "tools/report/profile.hpp"
#include "traces/errors/input_error.hpp"

#include <filesystem>

namespace keyswap::tools {

/// Reads what `nsys export --type sqlite` wrote: copies, fills, kernels, CUDA graphs and NVTX
/// ranges. Tables that were not recorded are named in Profile::notes. \return an error where the
/// file is no SQLite database, no export, or lacks a column. Source: Nsight Systems User Guide,
/// "SQLite Schema Reference".
[[nodiscard]] Expected<Profile> read_nsight_export(std::filesystem::path const& path);

} // namespace keyswap::tools
