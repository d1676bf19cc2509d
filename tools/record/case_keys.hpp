#pragma once

/// \file Generates the keys of a case, from a distribution or from the zoo.

#include "model/distributions/key_generator.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::conformance {

/// An input that broke a published sort (model/distributions/key_zoo.hpp), without its keys.
struct ZooEntry {
    std::string name;
    std::string source; ///< project and issue number
    std::uint64_t key_count = 0;
};

/// All entries for a type. \pre the type has at most 64 bits
[[nodiscard]] std::vector<ZooEntry> zoo_entries(KeyType type);

/// Distribution name of an entry in a case's request: "zoo/AllEqual".
[[nodiscard]] std::string zoo_distribution(std::string_view entry);
/// Entry named by a request; nullopt if the keys are drawn from a distribution.
[[nodiscard]] std::optional<std::string_view> zoo_entry_of(model::KeyRequest const& keys);

/// Keys as passed to the sort, [key_count] of the type. Starts no threads: a child forked from a
/// multi-threaded process may not be able to start its own.
/// \pre a zoo entry is among zoo_entries(); the type has at most 64 bits
[[nodiscard]] Expected<std::vector<std::byte>> case_keys(model::KeyRequest const& keys);

} // namespace keyswap::conformance
