#pragma once

#include <cstdint>
#include <string>

namespace keyswap {

/// "2,000,000,000": the count with a comma between groups of three digits.
[[nodiscard]] std::string grouped_count(std::uint64_t count);

} // namespace keyswap
