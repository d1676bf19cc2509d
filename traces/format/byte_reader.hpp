#pragma once

#include "traces/errors/input_error.hpp"

#include <cstddef>
#include <span>

namespace keyswap {

/// Bytes that are read from front to back.
class ByteSource {
  public:
    virtual ~ByteSource() = default;
    /// Fills the front of `block` and returns how many bytes that were; 0 only at the end.
    /// \pre block is not empty
    [[nodiscard]] virtual Expected<std::size_t> read(std::span<char> block) = 0;
};

} // namespace keyswap
