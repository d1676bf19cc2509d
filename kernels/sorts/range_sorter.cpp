#include "kernels/range_sorter.hpp"

#include "kernels/device/cuda_error.hpp"
#include "kernels/runtime/gpu_state.hpp"
#include "kernels/runtime/sort_driver.hpp"
#include "kernels/runtime/sorter_options.hpp"
#include "kernels/sorts/sorter_state.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <utility>
#include <vector>

namespace keyswap::kernels {

namespace {

/// A buffer to upload to, two for the sort, one to download from.
constexpr std::size_t range_buffer_pairs = 2;

/// The sort's own small copies in the same direction wait for at most one piece, not a whole range:
/// 0.3 ms at 55 GB/s, a hundred times as long as it takes to queue one.
constexpr std::size_t piece_bytes = std::size_t{1} << 24;

void copy_in_pieces(
    void* to, void const* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    for (std::size_t at = 0; at < bytes; at += piece_bytes) {
        KEYSWAP_CUDA(cudaMemcpyAsync(static_cast<std::byte*>(to) + at,
                                     static_cast<std::byte const*>(from) + at,
                                     std::min(piece_bytes, bytes - at),
                                     kind,
                                     stream));
    }
}

} // namespace

class RangeSorter::Pipeline {
  public:
    Pipeline(SortOptions const& options, Sorter sorter)
        : options_(options), shape_(element_shape(options)), sorter_(std::move(sorter)) {
        auto const capacity = sorter_.workspace().key_capacity;
        for (int const device : options.devices) {
            RangeGpu& gpu = gpus_.emplace_back();
            gpu.device = device;
            gpu.uploads = Stream{device};
            gpu.downloads = Stream{device};
            for (RangeBuffer& buffer : gpu.buffers) {
                buffer.keys = DeviceBuffer<std::byte>{device, bytes_of(capacity, shape_.key_bytes)};
                buffer.values =
                    DeviceBuffer<std::byte>{device, bytes_of(capacity, shape_.value_bytes)};
                buffer.copied = Event{device, EventTiming::off};
            }
        }
    }
    Pipeline(Pipeline const&) = delete;
    Pipeline& operator=(Pipeline const&) = delete;
    ~Pipeline() { drain(); }

    [[nodiscard]] Sorter const& sorter() const { return sorter_; }

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
                KeyRange const chunk = chunk_of_gpu(gpu, range.count);
                upload(gpu, gpu.buffers[0], range, chunk);
                download(gpu, gpu.buffers[1], range, chunk);
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
    /// Keys and values on one GPU.
    struct RangeBuffer {
        DeviceBuffer<std::byte> keys;
        DeviceBuffer<std::byte> values;
        Event copied; ///< upload or download has finished
    };

    /// A GPU's buffers and copy streams.
    struct RangeGpu {
        int device = 0;
        Stream uploads;
        Stream downloads;
        std::array<RangeBuffer, 2 * range_buffer_pairs> buffers;
        std::size_t filled = 0;          ///< buffer of the range to sort next
        std::size_t filling = 0;         ///< buffer of the range after it
        std::size_t other = 0;           ///< second buffer of the sort
        std::deque<std::size_t> emptied; ///< results of the latest sorts, oldest first
    };

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
        auto const copy = [&](void* to, void const* from, int element_bytes) {
            copy_in_pieces(to,
                           element(from, element_bytes, chunk.offset),
                           bytes_of(chunk.count, element_bytes),
                           cudaMemcpyHostToDevice,
                           gpu.uploads.get());
        };
        DeviceScope const scope{gpu.device};
        copy(buffer.keys.data(), range.keys, shape_.key_bytes);
        copy(buffer.values.data(), range.values, shape_.value_bytes);
        buffer.copied.record(gpu.uploads.get());
    }

    void download(RangeGpu const& gpu,
                  RangeBuffer const& buffer,
                  HostRange const& range,
                  KeyRange const& owned) const {
        auto const copy = [&](void* to, void const* from, int element_bytes) {
            copy_in_pieces(element(to, element_bytes, owned.offset),
                           from,
                           bytes_of(owned.count, element_bytes),
                           cudaMemcpyDeviceToHost,
                           gpu.downloads.get());
        };
        DeviceScope const scope{gpu.device};
        copy(range.sorted_keys, buffer.keys.data(), shape_.key_bytes);
        copy(range.sorted_values, buffer.values.data(), shape_.value_bytes);
        buffer.copied.record(gpu.downloads.get());
    }

    void begin_upload(HostRange const& range) {
        for (RangeGpu& gpu : gpus_) {
            gpu.filling = gpu.emptied.front();
            gpu.emptied.pop_front();
            upload(gpu, gpu.buffers[gpu.filling], range, chunk_of_gpu(gpu, range.count));
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
        KEYSWAP_TRY(auto const report, sorter_.sort_in_place(chunks, range.count));
        for (std::size_t i = 0; i < gpus_.size(); ++i) {
            RangeGpu& gpu = gpus_[i];
            SortedChunk const& sorted = report.chunks[i];
            std::size_t const result = sorted.in_alternate ? gpu.other : gpu.filled;
            gpu.other = sorted.in_alternate ? gpu.filled : gpu.other;
            download(gpu, gpu.buffers[result], range, {sorted.base, sorted.count});
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
    WorkspaceSize const size = pipeline_->sorter().workspace();
    return size.scratch_bytes + range_buffer_pairs * size.chunk_buffer_bytes;
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
        return std::min(key_count_that_fits(options, bytes_per_gpu, range_buffer_pairs),
                        driver_of(options).key_count_max);
    });
}

} // namespace keyswap::kernels
