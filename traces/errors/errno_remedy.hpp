#pragma once

#include <string>

namespace keyswap {

/// What helps against an error of a file operation: the resource that ran out, if one did.
/// \param otherwise remedy for all other errors
[[nodiscard]] std::string errno_remedy(int error_number, std::string otherwise);

} // namespace keyswap
