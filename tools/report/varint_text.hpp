#pragma once

/// \file Long lists of numbers in little room: LEB128 (seven bits a byte, lowest first, the top bit
/// says that more follow) in base64, as the page's script reads them back.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

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

/// Reads such a list back. What is not there reads as 0.
class VarintReader {
  public:
    explicit VarintReader(std::string_view base64);
    [[nodiscard]] std::uint64_t next();
    [[nodiscard]] std::int64_t next_signed();

  private:
    std::string bytes_;
    std::size_t place_ = 0;
};

} // namespace keyswap::tools
