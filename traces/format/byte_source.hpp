#pragma once

#include "traces/errors/input_error.hpp"

#include <cstddef>
#include <span>

namespace keyswap {

/// A sequential source of bytes.
class ByteSource {
  public:
    virtual ~ByteSource() = default;
    /// Reads up to block.size() bytes and returns their number; 0 only at the end.
    /// \pre block is not empty
    [[nodiscard]] virtual Expected<std::size_t> read(std::span<char> block) = 0;
};

} // namespace keyswap
