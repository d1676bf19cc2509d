#pragma once

#include "traces/errors/input_error.hpp"

#include <string>
#include <vector>

namespace keyswap::tools {

/// Replaces each folder by the traces below it, recursively, in ascending order: files ending in
/// .trace, .jsonl or .ndjson, possibly compressed.
/// \return an error if a folder contains no trace or cannot be read
[[nodiscard]] Expected<std::vector<std::string>>
expand_folders(std::vector<std::string> const& paths);

} // namespace keyswap::tools
