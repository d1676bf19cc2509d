#pragma once

/// \file `keyswap sort --values FILE`: values that travel with keys. Sorts carry the keys' indices;
/// the values follow them when the output is written.

#include "model/keys/stored_keys.hpp"
#include "traces/errors/input_error.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace keyswap::tools {

/// Values of a file, one for each key: .npy, or raw ones whose width follows from their number.
[[nodiscard]] Expected<std::unique_ptr<model::StoredKeys>> open_values(std::string const& path,
                                                                       std::uint64_t key_count);

/// Writes values in the order of indices. \param index_bytes of std::uint64_t
[[nodiscard]] Expected<void> write_values(model::StoredKeys const& values,
                                          std::span<std::byte const> index_bytes,
                                          model::KeyFileWriter& output);

} // namespace keyswap::tools
