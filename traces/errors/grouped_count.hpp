#pragma once

#include <cstdint>
#include <string>

namespace keyswap {

/// "2,000,000,000": a count as people read it.
[[nodiscard]] std::string grouped_count(std::uint64_t count);

} // namespace keyswap
