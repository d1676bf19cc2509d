#include "kernels/sorts/range_distribution.hpp"

#include "kernels/multisplit.hpp"
#include "kernels/multisplit/split_workspace.hpp"
#include "kernels/runtime/sorter_options.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <utility>

namespace keyswap::kernels {

namespace {

/// Starts of both blocks in flight, and the splitters with their search tree.
constexpr std::uint64_t table_bytes = 6 * distribution_buckets_max * sizeof(std::uint64_t);

/// One GPU's part of a distribution: a block is uploaded while the previous one is split and the
/// one before it is downloaded.
class GpuDistribution {
  public:
    GpuDistribution(RangeGpu const& gpu,
                    Multisplitter splitter,
                    ElementShape shape,
                    std::uint32_t buckets,
                    std::size_t blocks)
        : gpu_(gpu), splitter_(std::move(splitter)), shape_(shape), buckets_(buckets),
          splits_(gpu.device), starts_(blocks * buckets) {
        for (Slot& slot : slots_) {
            slot.starts = DeviceBuffer<std::uint64_t>{gpu.device, buckets};
            slot.split = Event{gpu.device, EventTiming::off};
        }
    }
    GpuDistribution(GpuDistribution const&) = delete;
    GpuDistribution& operator=(GpuDistribution const&) = delete;
    /// After an error, work may still be queued.
    ~GpuDistribution() {
        for (cudaStream_t const stream :
             {gpu_.uploads.get(), splits_.get(), gpu_.downloads.get()}) {
            static_cast<void>(cudaStreamSynchronize(stream));
        }
    }

    SortExpected<void> begin_block(HostPiece const& block, Columns<void> to) {
        DeviceScope const scope{gpu_.device};
        std::size_t const parity = queued_ % slots_.size();
        Slot const& slot = slots_[parity];
        RangeBuffer const& from = gpu_.buffers[parity];
        RangeBuffer const& split = gpu_.buffers[slots_.size() + parity];
        if (queued_ >= slots_.size()) {
            slot.split.make_wait(gpu_.uploads.get());
            split.copied.make_wait(splits_.get());
        }
        copy(gpu_.uploads, {from.keys.data(), from.values.data()}, block.from, block.count);
        from.copied.record(gpu_.uploads.get());

        from.copied.make_wait(splits_.get());
        KEYSWAP_RETURN_IF_ERROR(splitter_.split({.keys_in = from.keys.data(),
                                                 .keys_out = split.keys.data(),
                                                 .values_in = from.values.data(),
                                                 .values_out = split.values.data(),
                                                 .labels = nullptr,
                                                 .starts = slot.starts.data(),
                                                 .stream = splits_.get()},
                                                block.count));
        slot.split.record(splits_.get());

        slot.split.make_wait(gpu_.downloads.get());
        copy(gpu_.downloads, to, {split.keys.data(), split.values.data()}, block.count);
        copy_bytes(gpu_.downloads.get(),
                   starts_.data() + queued_ * buckets_,
                   slot.starts.data(),
                   buckets_ * sizeof(std::uint64_t));
        split.copied.record(gpu_.downloads.get());
        ++queued_;
        return {};
    }

    void finish() const { wait_for(gpu_.downloads.get()); }

    /// Elements of each bucket in one of this GPU's blocks. \pre finish() was called
    [[nodiscard]] std::vector<std::uint64_t> counts(std::size_t block, std::uint64_t size) const {
        auto const starts = starts_.span().subspan(block * buckets_, buckets_);
        std::vector<std::uint64_t> counts(buckets_);
        for (std::size_t bucket = 0; bucket < buckets_; ++bucket) {
            counts[bucket] = (bucket + 1 < buckets_ ? starts[bucket + 1] : size) - starts[bucket];
        }
        return counts;
    }

  private:
    struct Slot {
        DeviceBuffer<std::uint64_t> starts; ///< [buckets]
        Event split;
    };

    void copy(Stream const& stream,
              Columns<void> to,
              Columns<void const> from,
              std::uint64_t count) const {
        copy_bytes(stream.get(), to.keys, from.keys, bytes_of(count, shape_.key_bytes));
        copy_bytes(stream.get(), to.values, from.values, bytes_of(count, shape_.value_bytes));
    }

    RangeGpu const& gpu_;
    Multisplitter splitter_;
    ElementShape shape_;
    std::size_t buckets_;
    Stream splits_;
    std::array<Slot, 2> slots_;
    PinnedBuffer<std::uint64_t> starts_; ///< [blocks][buckets]
    std::size_t queued_ = 0;
};

/// The block's elements in other arrays.
template <class Byte>
Columns<Byte> from_element(Columns<Byte> arrays, ElementShape shape, std::uint64_t first) {
    return {element(arrays.keys, shape.key_bytes, first),
            element(arrays.values, shape.value_bytes, first)};
}

} // namespace

std::uint64_t distribution_bytes(ElementShape shape, std::uint64_t capacity) {
    return table_bytes + SplitWorkspace::bytes({.method = MultisplitMethod::fused,
                                                .shape = shape,
                                                .buckets_max = distribution_buckets_max,
                                                .count_max = distribution_block(shape, capacity),
                                                .stores_labels = true});
}

SortExpected<BlockCounts> distribute_blocks(SortOptions const& options,
                                            std::span<RangeGpu const> gpus,
                                            std::uint64_t block_size,
                                            HostPiece const& elements,
                                            Columns<void> to,
                                            BucketFunction const& function) {
    ElementShape const shape = element_shape(options);
    BlockCounts result{block_size, {}};
    std::uint64_t const blocks = (elements.count + block_size - 1) / block_size;
    MultisplitOptions split;
    split.key_type = options.key_type;
    split.direction = options.direction;
    split.value_type = options.value_type;
    split.function = function;
    split.method = MultisplitMethod::fused;
    std::deque<GpuDistribution> parts;
    for (RangeGpu const& gpu : gpus) {
        split.device = gpu.device;
        KEYSWAP_TRY(auto splitter, Multisplitter::create(split, block_size));
        parts.emplace_back(gpu,
                           std::move(splitter),
                           shape,
                           function.buckets,
                           (blocks + gpus.size() - 1) / gpus.size());
    }
    auto const size_of_block = [&](std::uint64_t block) {
        return std::min(block_size, elements.count - block * block_size);
    };
    for (std::uint64_t block = 0; block < blocks; ++block) {
        std::uint64_t const first = block * block_size;
        KEYSWAP_RETURN_IF_ERROR(parts[block % gpus.size()].begin_block(
            {from_element(elements.from, shape, first), size_of_block(block)},
            from_element(to, shape, first)));
    }
    for (GpuDistribution const& part : parts) {
        part.finish();
    }
    for (std::uint64_t block = 0; block < blocks; ++block) {
        result.counts.push_back(
            parts[block % gpus.size()].counts(block / gpus.size(), size_of_block(block)));
    }
    return result;
}

} // namespace keyswap::kernels
