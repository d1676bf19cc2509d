#include "kernels/range_sorter.hpp"

#include "kernels/device/cuda_error.hpp"
#include "kernels/runtime/sort_driver.hpp"
#include "kernels/runtime/sorter_options.hpp"
#include "kernels/sorts/range_distribution.hpp"
#include "kernels/sorts/range_gpu.hpp"
#include "kernels/sorts/sorter_state.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace keyswap::kernels {

namespace {

/// The sort's own small copies in the same direction wait for at most one piece, not a whole range:
/// 0.3 ms at 55 GB/s, a hundred times as long as it takes to queue one.
constexpr std::size_t piece_bytes = std::size_t{1} << 24;

void copy_in_pieces(cudaStream_t stream, void* to, void const* from, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes; at += piece_bytes) {
        copy_bytes(stream,
                   static_cast<std::byte*>(to) + at,
                   static_cast<std::byte const*>(from) + at,
                   std::min(piece_bytes, bytes - at));
    }
}

} // namespace

class RangeSorter::Pipeline {
  public:
    Pipeline(SortOptions const& options, Sorter sorter)
        : options_(options), shape_(element_shape(options)), sorter_(std::move(sorter)) {
        auto const capacity = sorter_.workspace().key_capacity;
        for (int const device : options.devices) {
            gpus_.emplace_back(device, capacity, shape_);
        }
    }
    Pipeline(Pipeline const&) = delete;
    Pipeline& operator=(Pipeline const&) = delete;
    ~Pipeline() { drain(); }

    [[nodiscard]] Sorter const& sorter() const { return sorter_; }

    /// \throws CudaFailure
    [[nodiscard]] std::uint64_t bytes_per_gpu() const {
        WorkspaceSize const size = sorter_.workspace();
        return size.scratch_bytes + range_buffer_pairs * size.chunk_buffer_bytes +
               distribution_bytes(shape_, size.key_capacity);
    }

    /// \throws CudaFailure
    SortExpected<std::optional<BlockCounts>>
    distribute(HostPiece const& elements, Columns<void> to, BucketFunction const& function) {
        if (function.buckets > distribution_buckets_max || shape_.key_bytes > 8) {
            return std::nullopt;
        }
        return distribute_blocks(options_,
                                 gpus_,
                                 distribution_block(shape_, sorter_.workspace().key_capacity),
                                 elements,
                                 to,
                                 function);
    }

    /// \throws CudaFailure
    SortExpected<void> sort(std::function<std::optional<HostRange>()> const& next,
                            std::function<void()> const& finished) {
        downloads_ = 0;
        for (RangeGpu& gpu : gpus_) {
            gpu.other = 0;
            gpu.emptied = {1, 2, 3};
        }
        auto range = next();
        if (range) {
            begin_upload(*range);
        }
        while (range) {
            finish_all_but(1, finished);
            auto const following = next();
            for (RangeGpu& gpu : gpus_) {
                gpu.filled = gpu.filling;
            }
            if (following) {
                begin_upload(*following);
            }
            KEYSWAP_RETURN_IF_ERROR(sort_range(*range));
            ++downloads_;
            range = following;
        }
        finish_all_but(0, finished);
        return {};
    }

    /// \throws CudaFailure
    void copy_both_ways(std::span<HostRange const> ranges) {
        for (HostRange const& range : ranges) {
            for (RangeGpu& gpu : gpus_) {
                KeyRange const chunk = chunk_of_gpu(gpu, range.count());
                upload(gpu, gpu.buffers[0], range, chunk);
                download(gpu, gpu.buffers[1], range.sorted, chunk);
            }
        }
        for (RangeGpu const& gpu : gpus_) {
            wait_for(gpu.uploads.get());
            wait_for(gpu.downloads.get());
        }
    }

    /// Waits for all copies and ignores their errors.
    void drain() const {
        for (RangeGpu const& gpu : gpus_) {
            static_cast<void>(cudaStreamSynchronize(gpu.uploads.get()));
            static_cast<void>(cudaStreamSynchronize(gpu.downloads.get()));
        }
        static_cast<void>(cudaGetLastError());
    }

  private:
    /// A GPU's share of a range before the sort.
    [[nodiscard]] KeyRange chunk_of_gpu(RangeGpu const& gpu, std::uint64_t count) const {
        std::uint64_t const size = placement_rule(options_, count).chunk_size;
        auto const index = static_cast<std::uint64_t>(&gpu - gpus_.data());
        std::uint64_t const begin = std::min(count, index * size);
        return {begin, std::min(size, count - begin)};
    }

    void upload(RangeGpu const& gpu,
                RangeBuffer const& buffer,
                HostRange const& range,
                KeyRange const& chunk) const {
        DeviceScope const scope{gpu.device};
        std::uint64_t first = 0; // of the piece within the range
        for (HostPiece const& piece : range.pieces) {
            std::uint64_t const begin = std::max(first, chunk.offset);
            std::uint64_t const end = std::min(first + piece.count, chunk.offset + chunk.count);
            auto const copy = [&](void* to, void const* from, int element_bytes) {
                copy_in_pieces(gpu.uploads.get(),
                               element(to, element_bytes, begin - chunk.offset),
                               element(from, element_bytes, begin - first),
                               bytes_of(end - begin, element_bytes));
            };
            if (begin < end) {
                copy(buffer.keys.data(), piece.from.keys, shape_.key_bytes);
                copy(buffer.values.data(), piece.from.values, shape_.value_bytes);
            }
            first += piece.count;
        }
        buffer.copied.record(gpu.uploads.get());
    }

    void download(RangeGpu const& gpu,
                  RangeBuffer const& buffer,
                  Columns<void> to,
                  KeyRange const& owned) const {
        auto const copy = [&](void* array, void const* from, int element_bytes) {
            copy_in_pieces(gpu.downloads.get(),
                           element(array, element_bytes, owned.offset),
                           from,
                           bytes_of(owned.count, element_bytes));
        };
        DeviceScope const scope{gpu.device};
        copy(to.keys, buffer.keys.data(), shape_.key_bytes);
        copy(to.values, buffer.values.data(), shape_.value_bytes);
        buffer.copied.record(gpu.downloads.get());
    }

    void begin_upload(HostRange const& range) {
        for (RangeGpu& gpu : gpus_) {
            gpu.filling = gpu.emptied.front();
            gpu.emptied.pop_front();
            upload(gpu, gpu.buffers[gpu.filling], range, chunk_of_gpu(gpu, range.count()));
        }
    }

    static void await(RangeGpu const& gpu, std::size_t buffer) {
        KEYSWAP_CUDA(cudaEventSynchronize(gpu.buffers[buffer].copied.get()));
    }

    /// Sorts the uploaded range and queues its download.
    SortExpected<void> sort_range(HostRange const& range) {
        std::vector<DeviceChunk> chunks;
        for (RangeGpu const& gpu : gpus_) {
            await(gpu, gpu.filled);
            RangeBuffer const& filled = gpu.buffers[gpu.filled];
            RangeBuffer const& other = gpu.buffers[gpu.other];
            chunks.push_back({filled.keys.data(),
                              other.keys.data(),
                              filled.values.data(),
                              other.values.data(),
                              nullptr});
        }
        KEYSWAP_TRY(auto const report, sorter_.sort_in_place(chunks, range.count()));
        for (std::size_t i = 0; i < gpus_.size(); ++i) {
            RangeGpu& gpu = gpus_[i];
            SortedChunk const& sorted = report.chunks[i];
            std::size_t const result = sorted.in_alternate ? gpu.other : gpu.filled;
            gpu.other = sorted.in_alternate ? gpu.filled : gpu.other;
            download(gpu, gpu.buffers[result], range.sorted, {sorted.base, sorted.count});
            gpu.emptied.push_back(result);
        }
        return {};
    }

    /// Waits for the oldest downloads until at most `rest` are pending.
    void finish_all_but(std::size_t rest, std::function<void()> const& finished) {
        for (; downloads_ > rest; --downloads_) {
            for (RangeGpu const& gpu : gpus_) {
                await(gpu, gpu.emptied[gpu.emptied.size() - downloads_]);
            }
            finished();
        }
    }

    SortOptions options_;
    ElementShape shape_;
    std::vector<RangeGpu> gpus_;
    std::size_t downloads_ = 0; ///< ranges whose download is pending
    Sorter sorter_;
};

std::uint64_t HostRange::count() const {
    return std::accumulate(
        pieces.begin(),
        pieces.end(),
        std::uint64_t{0},
        [](std::uint64_t sum, HostPiece const& piece) { return sum + piece.count; });
}

RangeSorter::RangeSorter(std::unique_ptr<Pipeline> pipeline) : pipeline_(std::move(pipeline)) {}
RangeSorter::RangeSorter(RangeSorter&&) noexcept = default;
RangeSorter& RangeSorter::operator=(RangeSorter&&) noexcept = default;
RangeSorter::~RangeSorter() = default;

SortExpected<RangeSorter> RangeSorter::create(SortOptions const& options,
                                              std::uint64_t key_count_max) {
    KEYSWAP_TRY(auto sorter, Sorter::create(options, key_count_max, ChunkBuffers::caller));
    return guarded([&]() -> SortExpected<RangeSorter> {
        return RangeSorter{std::make_unique<Pipeline>(options, std::move(sorter))};
    });
}

RunHeader RangeSorter::describe(std::uint64_t key_count) const {
    return pipeline_->sorter().describe(key_count);
}

std::uint64_t RangeSorter::bytes_per_gpu() const {
    return pipeline_->bytes_per_gpu();
}

SortExpected<std::optional<BlockCounts>> RangeSorter::distribute(HostPiece const& elements,
                                                                 Columns<void> to,
                                                                 BucketFunction const& function) {
    return guarded([&] { return pipeline_->distribute(elements, to, function); });
}

SortExpected<void> RangeSorter::sort(std::function<std::optional<HostRange>()> const& next,
                                     std::function<void()> const& finished) {
    auto result = guarded([&] { return pipeline_->sort(next, finished); });
    if (!result) {
        pipeline_->drain();
    }
    return result;
}

SortExpected<void> RangeSorter::copy_both_ways(std::span<HostRange const> ranges) {
    return guarded([&]() -> SortExpected<void> {
        pipeline_->copy_both_ways(ranges);
        return {};
    });
}

SortExpected<std::uint64_t> range_keys_that_fit(SortOptions const& options,
                                                std::optional<std::uint64_t> bytes_per_gpu) {
    // Also returns the errors of a sorter's creation.
    KEYSWAP_RETURN_IF_ERROR(keys_that_fit(options, bytes_per_gpu));
    return guarded([&]() -> SortExpected<std::uint64_t> {
        auto const distribution = [&](std::uint64_t capacity) {
            return distribution_bytes(element_shape(options), capacity);
        };
        return std::min(
            key_count_that_fits(options, bytes_per_gpu, range_buffer_pairs, distribution),
            driver_of(options).key_count_max);
    });
}

} // namespace keyswap::kernels
