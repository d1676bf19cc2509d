#pragma once

/// \file Plain collective operations of a platform's GPUs as NCCL carries them out: all-to-all,
/// all-gather and scatter of so many bytes, without a sort around them.

#include "simulator/study/simulation.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::simulator {

enum class CollectiveKind { all_to_all, all_gather, scatter };

/// "all-to-all", "all-gather", "scatter"
[[nodiscard]] std::string to_string(CollectiveKind kind);
[[nodiscard]] std::vector<std::string> collective_names();
/// \return an error with the known names
[[nodiscard]] Expected<CollectiveKind> parse_collective(std::string_view name,
                                                        std::string_view option);

/// What is asked for. Sizes are those of nccl-tests: what a GPU sends in an all-to-all, what it has
/// in the end of an all-gather, what the first GPU sends and keeps of a scatter.
struct Collective {
    CollectiveKind kind = CollectiveKind::all_to_all;
    std::uint64_t size_bytes = 0;
    std::vector<std::uint32_t> gpus; ///< on the machine; a scatter's first one is its root
    EngineOptions engine;
};

/// How the bytes get to where they belong.
enum class CollectiveWay {
    direct, ///< every pair of GPUs at once, so that all links between them are busy
    rings   ///< from neighbour to neighbour, over every adapter of a node
};

struct CollectivePrediction {
    Collective collective;
    CollectiveWay way = CollectiveWay::direct; ///< the faster one
    Timeline timeline;
    double total_ms = 0.0;
    double low_ms = 0.0; ///< of the interval in which nine of ten runs are assumed to lie
    double high_ms = 0.0;
    double model_error = 0.0; ///< assumed, as a part of the total

    /// Bytes over time, as nccl-tests print it.
    [[nodiscard]] double algorithm_GBps() const;
    /// What links would have to carry if each GPU had one: (n - 1) / n of it.
    [[nodiscard]] double bus_GBps() const;
};

/// \return an error if GPUs are missing, fewer than two or not connected; about "size" if its
/// buffers do not fit
[[nodiscard]] Expected<CollectivePrediction> predict_collective(Machine const& machine,
                                                                Collective const& collective);

} // namespace keyswap::simulator
