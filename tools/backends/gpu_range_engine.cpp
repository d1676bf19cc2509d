#include "tools/backends/gpu_range_engine.hpp"

#include "tools/backends/sort_error.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/errors/try.hpp"

#include <optional>
#include <string>

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
        KEYSWAP_TRY(auto sorter,
                    kernels::Sorter::create(options_, count_max, kernels::ChunkBuffers::sorter)
                        .map_error(to_input_error));
        sorter_ = std::move(sorter);
        return {};
    }

    std::shared_ptr<void const> pin(std::span<std::byte> memory) override {
        return std::make_shared<kernels::HostPin>(memory.data(), memory.size());
    }

    Expected<void> sort(RangeArrays const& arrays) override {
        KEYSWAP_EXPECTS(sorter_.has_value());
        std::uint64_t const count = arrays.keys.size() / key_size_bytes(options_.key_type);
        void* const values = arrays.values.empty() ? nullptr : arrays.values.data();
        KEYSWAP_RETURN_IF_ERROR(
            sorter_->sort(arrays.keys.data(), values, count).map_error(to_input_error));
        return {};
    }

  private:
    kernels::SortOptions options_;
    std::optional<kernels::Sorter> sorter_;
};

} // namespace

std::shared_ptr<RangeEngine> make_gpu_range_engine(kernels::SortOptions const& options) {
    return std::make_shared<GpuRangeEngine>(options);
}

} // namespace keyswap::tools
