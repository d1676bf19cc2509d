#pragma once

/// \file The function of a library that sorts, and the memory that it gets.

#include "tools/record/guarded_memory.hpp"
#include "traces/records/key_type.hpp"

#include <cstdint>

namespace keyswap::conformance {

/// Keys, and values where there are any, in the memory that the function gets.
struct ForeignMemory {
    GuardedMemory keys;
    GuardedMemory values; ///< of no bytes where there are none
    KeyType key_type = KeyType::u32;
    std::uint64_t key_count = 0;
    std::uint64_t value_bytes = 0; ///< of one value; 0 = none
};

/// The function of a library: sorts `key_count` keys in place and returns 0. A function may take
/// only the first of these arguments, as C's calling conventions allow on 64-bit machines.
using ForeignFunction = int (*)(void* keys,
                                std::uint64_t key_count,
                                char const* key_type,
                                void* values,
                                std::uint64_t value_bytes);

} // namespace keyswap::conformance
