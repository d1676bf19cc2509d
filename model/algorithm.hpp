#pragma once

#include "model/key_source.hpp"
#include "model/plan.hpp"
#include "model/sort_config.hpp"
#include "traces/records.hpp"

#include <span>
#include <string_view>

namespace keyswap::model {

/// A multi-GPU sort as the model knows it. Adding one is adding a file with its plan and replay
/// functions and a line in algorithm.cpp; every command, property and report then has it.
struct Algorithm {
    std::string_view name;        ///< as on the command line: "rmg", "p2p-merge", "het-merge"
    std::string_view description; ///< one line
    std::string_view source;      ///< paper and section
};

} // namespace keyswap::model
