#pragma once

/// \file Signature of a library's sort function, and the memory passed to it.

#include "tools/record/process/guarded_memory.hpp"
#include "traces/records/key_type.hpp"

#include <cstdint>

namespace keyswap::conformance {

/// Keys and optional values in guarded memory, to be passed to the function.
struct ThirdPartyMemory {
    GuardedMemory keys;
    GuardedMemory values; ///< 0 bytes if there are no values
    KeyType key_type = KeyType::u32;
    std::uint64_t key_count = 0;
    std::uint64_t value_bytes = 0; ///< of one value; 0: no values
};

/// Function of a library: sorts `key_count` keys in place and returns 0. It may declare only the
/// first of these parameters, as C calling conventions on 64-bit machines allow.
using ThirdPartyFunction = int (*)(void* keys,
                                   std::uint64_t key_count,
                                   char const* key_type,
                                   void* values,
                                   std::uint64_t value_bytes);

} // namespace keyswap::conformance
