#pragma once

/// \file Descriptions of key locations and of the memory that a sort needs.

#include "simulator/platform/key_place.hpp"
#include "simulator/prediction/memory_fit.hpp"

#include <string>

namespace keyswap::tools {

/// "NUMA node 0", "the NUMA nodes near their GPUs", "the GPUs".
[[nodiscard]] std::string place_text(simulator::KeyPlace place);

/// "8.1 GB of 42.4 GB (19 %)".
[[nodiscard]] std::string memory_use_text(simulator::MemoryUse const& use);

/// All memories in one sentence, hosts combined if they have equal use, and the number of keys that
/// would fit.
[[nodiscard]] std::string memory_sentence(simulator::MemoryFit const& fit);

/// Memory of a planned sort on any machine: "4.1 GB on each GPU (...), 8 GB of host memory".
[[nodiscard]] std::string sort_memory_text(simulator::SortMemory const& memory);

} // namespace keyswap::tools
