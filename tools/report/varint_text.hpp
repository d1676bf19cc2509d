#pragma once

/// \file Long lists of numbers in little room: LEB128 (seven bits a byte, lowest first, the top bit
/// says that more follow) in base64, as the page's script reads them back.

#include <cstdint>
#include <string>

namespace keyswap::tools {

class VarintText {
  public:
    void add(std::uint64_t number);
    /// A number of either sign: 0, -1, 1, -2 ... become 0, 1, 2, 3 ...
    void add_signed(std::int64_t number);
    /// All numbers so far in base64.
    [[nodiscard]] std::string base64() const;

  private:
    std::string bytes_;
};

} // namespace keyswap::tools
