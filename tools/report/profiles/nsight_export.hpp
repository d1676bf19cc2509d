#pragma once

#include "tools/report/profiles/profile.hpp"
#include "traces/errors/input_error.hpp"

#include <filesystem>

namespace keyswap::tools {

/// Reads an export of `nsys export --type sqlite`: copies, fills, kernels, CUDA graphs and NVTX
/// ranges. Profile::notes lists missing tables. \return an error if the file is not an SQLite
/// database or not an export, or if a column is missing.
/// Source: Nsight Systems User Guide, "SQLite Schema Reference".
[[nodiscard]] Expected<Profile> read_nsight_export(std::filesystem::path const& path);

} // namespace keyswap::tools
