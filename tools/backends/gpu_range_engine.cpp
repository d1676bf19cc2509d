#include "tools/backends/gpu_range_engine.hpp"

#include "kernels/range_sorter.hpp"
#include "tools/backends/sort_error.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/errors/try.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace keyswap::tools {

namespace {

class GpuRangeEngine final : public RangeEngine {
  public:
    explicit GpuRangeEngine(kernels::SortOptions const& options) : options_(options) {}

    [[nodiscard]] std::string name() const override {
        std::size_t const gpus = options_.devices.size();
        return full_name(options_.choice) + " on " + std::to_string(gpus) +
               (gpus == 1 ? " GPU" : " GPUs");
    }

    void describe(RunHeader& header) const override {
        KEYSWAP_EXPECTS(sorter_.has_value());
        RunHeader const sort = sorter_->describe(0);
        header.device = sort.device;
        header.driver = sort.driver;
        header.gpus = sort.gpus;
        header.virtual_gpus = sort.virtual_gpus;
        header.variant = full_name(options_.choice);
        static_cast<SortParameters&>(header) = static_cast<SortParameters const&>(sort);
    }

    Expected<void> prepare(SortShape const& shape, std::uint64_t count_max) override {
        static_cast<SortShape&>(options_) = shape;
        KEYSWAP_TRY(sorter_,
                    kernels::RangeSorter::create(options_, count_max).map_error(to_input_error));
        return {};
    }

    [[nodiscard]] std::uint64_t bytes_per_device() const override {
        KEYSWAP_EXPECTS(sorter_.has_value());
        return sorter_->bytes_per_gpu();
    }

    std::shared_ptr<void const> pin(std::span<std::byte> memory) override {
        return std::make_shared<kernels::HostPin>(memory.data(), memory.size());
    }

    Expected<void> sort(RangeArrays const& arrays) override {
        bool is_given = false;
        RangeElements const elements = elements_of(arrays, key_size_bytes(options_.key_type));
        return sort_ranges(
            [&] {
                return std::exchange(is_given, true)
                           ? std::nullopt
                           : std::optional(RangeTask{{elements}, elements, {}});
            },
            [] {});
    }

    Expected<void> sort_ranges(std::function<std::optional<RangeTask>()> const& next,
                               std::function<void()> const& finished) override {
        KEYSWAP_EXPECTS(sorter_.has_value());
        return sorter_->sort([&] { return next_range(next); }, finished).map_error(to_input_error);
    }

    Expected<std::optional<kernels::BlockCounts>>
    distribute(RangeArrays const& arrays, std::span<KeyImage const> highest) override {
        KEYSWAP_EXPECTS(sorter_.has_value() && !highest.empty());
        RangeElements const elements = elements_of(arrays, key_size_bytes(options_.key_type));
        // An element of range i is above i of these splitters.
        return sorter_
            ->distribute(host_piece(elements),
                         {arrays.key_scratch.data(), arrays.value_scratch.data()},
                         {static_cast<std::uint32_t>(highest.size()),
                          SplitterBuckets{{highest.begin(), highest.end() - 1}, {}, Tie::left}})
            .map_error(to_input_error);
    }

    Expected<void> move_ranges(std::span<RangeTask const> tasks) override {
        KEYSWAP_EXPECTS(sorter_.has_value());
        std::vector<kernels::HostRange> ranges;
        for (RangeTask const& task : tasks) {
            ranges.push_back(host_range(task));
        }
        return sorter_->copy_both_ways(ranges).map_error(to_input_error);
    }

  private:
    [[nodiscard]] static kernels::HostPiece host_piece(RangeElements const& elements) {
        return {{elements.keys.data(), elements.values.data()}, elements.count};
    }
    [[nodiscard]] static kernels::HostRange host_range(RangeTask const& task) {
        kernels::HostRange range{{}, {task.sorted.keys.data(), task.sorted.values.data()}};
        for (RangeElements const& piece : task.pieces) {
            range.pieces.push_back(host_piece(piece));
        }
        return range;
    }
    [[nodiscard]] static std::optional<kernels::HostRange>
    next_range(std::function<std::optional<RangeTask>()> const& next) {
        auto const task = next();
        return task ? std::optional(host_range(*task)) : std::nullopt;
    }

    kernels::SortOptions options_;
    std::optional<kernels::RangeSorter> sorter_;
};

} // namespace

std::shared_ptr<RangeEngine> make_gpu_range_engine(kernels::SortOptions const& options) {
    return std::make_shared<GpuRangeEngine>(options);
}

} // namespace keyswap::tools
