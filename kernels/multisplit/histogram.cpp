#include "kernels/histogram.hpp"

#include "kernels/device/cuda_check.hpp"
#include "kernels/device/cuda_error.hpp"
#include "kernels/device/device_buffer.hpp"
#include "kernels/device/stream.hpp"
#include "kernels/multisplit/device_rule.hpp"
#include "kernels/multisplit/split_kernels.hpp"

#include <algorithm>
#include <string>

namespace keyswap::kernels {

namespace {

/// Counters in shared memory are 32-bit.
constexpr std::uint64_t samples_at_once = std::uint64_t{1} << 31;

std::optional<std::string> problem_of(HistogramOptions const& options) {
    auto const& edges = options.edges;
    if (edges.size() < 2 || edges.size() - 1 > histogram_bins_max) {
        return "a histogram has 1 to " + std::to_string(histogram_bins_max) + " bins, not " +
               std::to_string(edges.empty() ? 0 : edges.size() - 1);
    }
    for (std::size_t i = 0; i < edges.size(); ++i) {
        bool const fits = edges[i].high == 0 &&
                          (key_size_bytes(options.sample_type) == 8 || edges[i].low >> 32 == 0);
        if (!fits) {
            return "edge " + std::to_string(i + 1) + " is not an image of the sample type";
        }
        if (i > 0 && !(edges[i - 1] < edges[i])) {
            return "edges " + std::to_string(i) + " and " + std::to_string(i + 1) +
                   " do not ascend (sort them, and remove duplicates)";
        }
    }
    return std::nullopt;
}

RuleTables tables_of(HistogramOptions const& options) {
    if (options.spacing == BinSpacing::even) {
        return {options.edges, options.sample_type};
    }
    SplitterBuckets splitters;
    splitters.splitters = options.edges;
    splitters.tie = Tie::right;
    return {BucketFunction{static_cast<std::uint32_t>(options.edges.size() + 1), splitters},
            static_cast<int>(key_size_bytes(options.sample_type)),
            image_code(options.sample_type, Direction::ascending)};
}

} // namespace

class HistogramState {
  public:
    explicit HistogramState(HistogramOptions const& options)
        : device_(options.device),
          sample_bytes_(static_cast<int>(key_size_bytes(options.sample_type))),
          bins_(static_cast<std::uint32_t>(options.edges.size() - 1)), tables_(tables_of(options)) {
    }

    [[nodiscard]] int device() const { return device_; }

    void
    count(void const* samples, std::uint64_t count, std::uint64_t* counts, cudaStream_t stream) {
        clear_array(stream, counts, bins_);
        for_each_slice(samples, count, [&](void const* slice, std::uint64_t slice_count) {
            launch_bucket_counts(stream,
                                 sample_bytes_,
                                 {.keys = slice,
                                  .count = slice_count,
                                  .rule = tables_.rule(),
                                  .outside = 1,
                                  .counts = counts});
        });
    }

    [[nodiscard]] std::vector<std::uint64_t> count_host(void const* samples, std::uint64_t count) {
        std::size_t const bytes = count * static_cast<std::size_t>(sample_bytes_);
        std::vector<std::uint64_t> counts(bins_ + std::size_t{2});
        std::size_t const count_bytes = counts.size() * sizeof(std::uint64_t);
        DeviceBuffer<unsigned char> const on_device{device_, bytes};
        DeviceBuffer<std::uint64_t> const device_counts{device_, counts.size()};
        if (bytes != 0) {
            KEYSWAP_CUDA(cudaMemcpy(on_device.data(), samples, bytes, cudaMemcpyHostToDevice));
        }
        KEYSWAP_CUDA(cudaMemset(device_counts.data(), 0, count_bytes));
        for_each_slice(on_device.data(), count, [&](void const* slice, std::uint64_t slice_count) {
            launch_bucket_counts(nullptr,
                                 sample_bytes_,
                                 {.keys = slice,
                                  .count = slice_count,
                                  .rule = tables_.rule(),
                                  .counts = device_counts.data()});
        });
        KEYSWAP_CUDA(
            cudaMemcpy(counts.data(), device_counts.data(), count_bytes, cudaMemcpyDeviceToHost));
        return counts;
    }

  private:
    template <class Act>
    void for_each_slice(void const* samples, std::uint64_t count, Act const& act) const {
        for (std::uint64_t begin = 0; begin < count; begin += samples_at_once) {
            act(static_cast<unsigned char const*>(samples) +
                    begin * static_cast<std::uint64_t>(sample_bytes_),
                std::min(samples_at_once, count - begin));
        }
    }

    int device_;
    int sample_bytes_;
    std::uint32_t bins_;
    RuleTables tables_;
};

Histogram::Histogram(std::unique_ptr<HistogramState> state) : state_(std::move(state)) {}
Histogram::Histogram(Histogram&&) noexcept = default;
Histogram& Histogram::operator=(Histogram&&) noexcept = default;
Histogram::~Histogram() = default;

SortExpected<Histogram> Histogram::create(HistogramOptions const& options) {
    if (auto const problem = problem_of(options)) {
        return tl::unexpected(refused(*problem));
    }
    if (auto error = missing_device(options.device)) {
        return tl::unexpected(std::move(*error));
    }
    return guarded([&]() -> SortExpected<Histogram> {
        DeviceScope const scope{options.device};
        return Histogram(std::make_unique<HistogramState>(options));
    });
}

SortExpected<void>
Histogram::count(void const* samples, std::uint64_t count, std::uint64_t* counts, void* stream) {
    if (counts == nullptr || (samples == nullptr && count != 0)) {
        return tl::unexpected(refused("samples or counts are a null pointer"));
    }
    return guarded([&]() -> SortExpected<void> {
        DeviceScope const scope{state_->device()};
        state_->count(samples, count, counts, static_cast<cudaStream_t>(stream));
        return {};
    });
}

SortExpected<std::vector<std::uint64_t>> Histogram::count_host(void const* samples,
                                                               std::uint64_t count) {
    if (samples == nullptr && count != 0) {
        return tl::unexpected(refused("samples are a null pointer"));
    }
    return guarded([&]() -> SortExpected<std::vector<std::uint64_t>> {
        DeviceScope const scope{state_->device()};
        return state_->count_host(samples, count);
    });
}

} // namespace keyswap::kernels
