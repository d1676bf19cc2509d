#pragma once

#include "traces/errors/input_error.hpp"

#include <string>
#include <vector>

namespace keyswap::tools {

/// The names, with each folder replaced by the traces in it and in the folders below it, in
/// ascending order: files that end in .trace, .jsonl or .ndjson, also compressed.
/// \return an error if a folder holds none or cannot be read
[[nodiscard]] Expected<std::vector<std::string>>
expand_folders(std::vector<std::string> const& paths);

} // namespace keyswap::tools
