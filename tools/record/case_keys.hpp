#pragma once

/// \file The keys of a case: drawn from a distribution, or an input of the zoo.

#include "model/keys/key_generator.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::conformance {

/// An input that broke a real sort (model/keys/key_zoo.hpp), without its keys.
struct ZooEntry {
    std::string name;
    std::string source; ///< project and number of the report
    std::uint64_t key_count = 0;
};

/// All of a type. \pre the type has at most 64 bits
[[nodiscard]] std::vector<ZooEntry> zoo_entries(KeyType type);

/// An entry as a case's request names it, in the place of a distribution: "zoo/AllEqual".
[[nodiscard]] std::string zoo_distribution(std::string_view entry);
/// The name of the entry that a case is; nullopt if it is drawn from a distribution.
[[nodiscard]] std::optional<std::string_view> zoo_entry_of(model::KeyRequest const& keys);

/// Keys as they are given to the sort, [key_count] of the type. Nothing here starts a thread, since
/// a child that is forked from a process with threads may not sort with threads of its own.
/// \pre the entry, if it is one, is among zoo_entries(); the type has at most 64 bits
[[nodiscard]] Expected<std::vector<std::byte>> case_keys(model::KeyRequest const& keys);

} // namespace keyswap::conformance
