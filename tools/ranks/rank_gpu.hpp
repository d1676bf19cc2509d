#pragma once

/// \file A rank that sorts on a GPU: choice of its GPU, transport to the GPUs of the other ranks,
/// and the sort itself.

#include "model/ranks/communicator.hpp"
#include "model/ranks/even_shares.hpp"
#include "model/ranks/rank_sort.hpp"
#include "tools/backends/gpu_sort.hpp"
#include "tools/options/sort_request.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace keyswap::tools {

/// Result of a sort by ranks.
struct RankAccount {
    std::vector<std::uint64_t> owned; ///< [rank] keys owned by each rank
    std::vector<VerdictRecord> verdicts;
    MultisetDigest content; ///< over all keys
    std::uint64_t passes = 0;
    double seconds = 0;    ///< of this rank or the slowest, without file access
    std::string transport; ///< that moved keys between GPUs; empty without GPUs

    [[nodiscard]] bool holds() const {
        return std::ranges::all_of(verdicts, &VerdictRecord::holds);
    }
};

/// A rank's keys after a sort, on GPUs or in host memory, and its account of it.
template <class Image, class Value>
struct RankSorted {
    model::RankKeys<Image, Value> keys; ///< images
    RankAccount account;
};

/// Opens the GPU of a rank. \return an error if this rank has none
using RankOpener = std::function<Expected<std::unique_ptr<cuda::RankSession>>(
    model::Communicator& ranks, SortRequest const& request)>;

/// For ranks that are threads: NCCL if each has its own GPU, else copies within this process.
/// \param devices [rank]
[[nodiscard]] Expected<RankOpener> open_gpus_of_threads(std::vector<int> const& devices,
                                                        std::chrono::milliseconds patience);

/// For ranks that are processes: NCCL; the ranks of a machine take its devices in order.
[[nodiscard]] RankOpener open_gpu_of_process(BackendChoice const& choice);

/// Opens the trace of a rank on a GPU. \param content digest over all ranks' keys
using BeginGpuRecord = std::function<Expected<TraceSink*>(MultisetDigest const& content)>;

/// Balances the shares, sorts them on the ranks' GPUs and checks the result in host memory.
/// \param shares [rank] index range of each share in the input \param own images and values
/// \param complete sets the trace header fields unknown to the kernels
/// \return an error on every rank if any rank has one \throws model::RankFailure
template <class Image, class Value>
[[nodiscard]] Expected<RankSorted<Image, Value>>
sort_on_gpu(model::Communicator& ranks,
            RankOpener const& open,
            SortRequest const& request,
            std::span<model::IndexRange const> shares,
            model::RankKeys<Image, Value> own,
            BeginGpuRecord const& begin_record,
            std::function<void(RunHeader&)> const& complete);

} // namespace keyswap::tools
