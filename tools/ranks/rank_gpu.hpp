#pragma once

/// \file A rank that sorts on a GPU: which one it is, how it reaches those of the other ranks, and
/// the sort of its share.

#include "model/ranks/communicator.hpp"
#include "model/ranks/even_shares.hpp"
#include "model/ranks/rank_sort.hpp"
#include "tools/backends/gpu_sort.hpp"
#include "tools/options/sort_request.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace keyswap::tools {

/// What a rank holds once all have sorted, wherever they did.
template <class Image, class Value>
struct RankSorted {
    model::RankKeys<Image, Value> owned; ///< images
    std::vector<std::uint64_t> counts;   ///< [rank] keys that each owns
    std::uint64_t passes = 0;
    MultisetDigest content; ///< of all ranks' keys
    std::vector<VerdictRecord> verdicts;
    double seconds = 0;    ///< of this rank, without reading and writing files
    std::string transport; ///< what moved keys between GPUs; empty if there were none
};

/// Gives a rank the GPU on which it sorts. \return an error where this rank has none
using RankOpener = std::function<Expected<std::unique_ptr<cuda::RankSession>>(
    model::Communicator& ranks, SortRequest const& request)>;

/// Of ranks that are threads: NCCL where each has a GPU of its own, else copies in this process.
/// \param devices [rank]
[[nodiscard]] Expected<RankOpener> open_gpus_of_threads(std::vector<int> const& devices,
                                                        std::chrono::milliseconds patience);

/// Of ranks that are processes: by NCCL; the ranks of a machine take its devices in order.
[[nodiscard]] RankOpener open_gpu_of_process(GpuChoice const& choice,
                                             std::chrono::milliseconds patience);

/// Begins a rank's trace on a GPU. \param content digest of all ranks' keys
using BeginGpuRecord = std::function<Expected<TraceSink*>(MultisetDigest const& content)>;

/// Evens the shares out, sorts them on the ranks' GPUs, and checks the result in host memory.
/// \param shares [rank] where each share lies among all keys \param own images and values
/// \param complete fills in what the kernels cannot know of a trace's header
/// Errors: of any rank, on all of them. \throws model::RankFailure
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
