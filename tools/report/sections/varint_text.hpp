#pragma once

/// \file Compact text for long number lists: LEB128 (7 bits per byte, lowest first; the top bit
/// marks continuation) in base64, decoded by the page's script.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace keyswap::tools {

class VarintText {
  public:
    void add(std::uint64_t number);
    /// Zigzag-encodes a signed number: 0, -1, 1, -2 ... become 0, 1, 2, 3 ...
    void add_signed(std::int64_t number);
    /// All numbers added so far, in base64.
    [[nodiscard]] std::string base64() const;

  private:
    std::string bytes_;
};

/// Decodes such a list. Returns 0 past its end.
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
