#pragma once

/// \file Collective operations among a platform's GPUs as NCCL executes them: all-to-all,
/// all-gather and scatter of a given size, without a sort.

#include "simulator/prediction/simulation.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::simulator {

enum class CollectiveKind { all_to_all, all_gather, scatter };

/// "all-to-all", "all-gather", "scatter".
[[nodiscard]] std::string to_string(CollectiveKind kind);
[[nodiscard]] std::vector<std::string> collective_names();
/// \return an error that lists the known names
[[nodiscard]] Expected<CollectiveKind> parse_collective(std::string_view name,
                                                        std::string_view option);

/// The requested operation. Sizes as in nccl-tests: bytes that each GPU sends in an all-to-all,
/// that it holds after an all-gather, or that the root sends and keeps in a scatter.
struct Collective {
    CollectiveKind kind = CollectiveKind::all_to_all;
    std::uint64_t size_bytes = 0;
    std::vector<std::uint32_t> gpus; ///< numbers on the platform; the first is a scatter's root
    EngineOptions engine;
};

/// Algorithm of a collective.
enum class CollectiveWay {
    direct, ///< every pair of GPUs at once, so that all links between them are in use
    rings   ///< from neighbour to neighbour, using every adapter of a node
};

struct CollectivePrediction {
    Collective collective;
    CollectiveWay way = CollectiveWay::direct; ///< the faster one
    Timeline timeline;
    double total_ms = 0.0;
    double low_ms = 0.0; ///< interval expected to contain nine of ten runs
    double high_ms = 0.0;
    double model_error = 0.0; ///< assumed, relative to the total

    /// Algorithm bandwidth as nccl-tests print it: size / time.
    [[nodiscard]] double algorithm_GBps() const;
    /// Bus bandwidth as nccl-tests print it: algorithm bandwidth * (n - 1) / n.
    [[nodiscard]] double bus_GBps() const;
};

/// \return an error if GPUs are missing, fewer than two or not connected; with subject "size" if
/// buffers do not fit
[[nodiscard]] Expected<CollectivePrediction> predict_collective(Machine const& machine,
                                                                Collective const& collective);

} // namespace keyswap::simulator
