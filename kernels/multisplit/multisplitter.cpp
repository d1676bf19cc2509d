#include "kernels/multisplit.hpp"

#include "kernels/device/cuda_error.hpp"
#include "kernels/device/device_buffer.hpp"
#include "kernels/device/stream.hpp"
#include "kernels/multisplit/device_rule.hpp"
#include "kernels/multisplit/split_options.hpp"
#include "kernels/multisplit/split_records.hpp"
#include "kernels/multisplit/split_workspace.hpp"
#include "traces/errors/try.hpp"

#include <functional>
#include <utility>

namespace keyswap::kernels {

class MultisplitState {
  public:
    MultisplitState(MultisplitOptions const& options,
                    MultisplitMethod method,
                    std::uint64_t count_max)
        : options_(options), shape_{static_cast<int>(key_size_bytes(options.key_type)),
                                    static_cast<int>(value_size_bytes(options.value_type))},
          tables_(
              options.function, shape_.key_bytes, image_code(options.key_type, options.direction)),
          workspace_({method,
                      shape_,
                      options.function.buckets,
                      count_max,
                      stores_labels(method, tables_.rule().kind, shape_.key_bytes),
                      options.slice_count}) {}

    [[nodiscard]] MultisplitOptions const& options() const { return options_; }
    [[nodiscard]] ElementShape shape() const { return shape_; }
    [[nodiscard]] SplitNeeds const& needs() const { return workspace_.needs(); }

    void split(MultisplitArrays const& arrays, std::uint64_t count) {
        workspace_.split(static_cast<cudaStream_t>(arrays.stream),
                         split_arrays(arrays, count),
                         rule_of(arrays),
                         nullptr,
                         arrays.starts);
    }

    /// Records of the last call, which used these arrays.
    [[nodiscard]] SplitRecords records(MultisplitArrays const& arrays, std::uint64_t count) const {
        return read_records(static_cast<cudaStream_t>(arrays.stream),
                            workspace_,
                            split_arrays(arrays, count),
                            rule_of(arrays),
                            arrays.starts);
    }

  private:
    [[nodiscard]] OutOfPlaceArrays split_arrays(MultisplitArrays const& arrays,
                                                std::uint64_t count) const {
        return {
            arrays.keys_in, arrays.keys_out, arrays.values_in, arrays.values_out, count, shape_};
    }
    [[nodiscard]] DeviceRule rule_of(MultisplitArrays const& arrays) const {
        DeviceRule rule = tables_.rule();
        rule.labels = arrays.labels;
        rule.label_bytes = arrays.label_bytes;
        return rule;
    }

    MultisplitOptions options_;
    ElementShape shape_;
    RuleTables tables_;
    SplitWorkspace workspace_;
};

Multisplitter::Multisplitter(std::unique_ptr<MultisplitState> state) : state_(std::move(state)) {}
Multisplitter::Multisplitter(Multisplitter&&) noexcept = default;
Multisplitter& Multisplitter::operator=(Multisplitter&&) noexcept = default;
Multisplitter::~Multisplitter() = default;

SortExpected<Multisplitter> Multisplitter::create(MultisplitOptions const& options,
                                                  std::uint64_t count_max) {
    auto const method = method_of(options, count_max);
    if (!method) {
        return tl::unexpected(refused(method.error()));
    }
    if (auto error = missing_device(options.device)) {
        return tl::unexpected(std::move(*error));
    }
    return guarded([&]() -> SortExpected<Multisplitter> {
        DeviceScope const scope{options.device};
        return Multisplitter(std::make_unique<MultisplitState>(options, *method, count_max));
    });
}

MultisplitMethod Multisplitter::method() const {
    return state_->needs().method;
}

std::uint64_t Multisplitter::workspace_bytes() const {
    return SplitWorkspace::bytes(state_->needs());
}

SortExpected<void> Multisplitter::split(MultisplitArrays const& arrays, std::uint64_t count) {
    if (auto const problem =
            problem_of(state_->options(), arrays, count, state_->needs().count_max)) {
        return tl::unexpected(refused(*problem));
    }
    return guarded([&]() -> SortExpected<void> {
        DeviceScope const scope{state_->options().device};
        state_->split(arrays, count);
        return {};
    });
}

SortExpected<void> Multisplitter::split_host(MultisplitArrays const& arrays, std::uint64_t count) {
    return on_device_and_back(arrays, count, [](MultisplitArrays const& /*on_device*/) {});
}

SortExpected<SplitRecords> Multisplitter::record_host(MultisplitArrays const& arrays,
                                                      std::uint64_t count) {
    SplitRecords records;
    KEYSWAP_RETURN_IF_ERROR(
        on_device_and_back(arrays, count, [&](MultisplitArrays const& on_device) {
            records = state_->records(on_device, count);
        }));
    return records;
}

SortExpected<SplitRecords> Multisplitter::records(MultisplitArrays const& arrays,
                                                  std::uint64_t count) const {
    return guarded([&]() -> SortExpected<SplitRecords> {
        DeviceScope const scope{state_->options().device};
        return state_->records(arrays, count);
    });
}

SortExpected<void>
Multisplitter::on_device_and_back(MultisplitArrays const& arrays,
                                  std::uint64_t count,
                                  std::function<void(MultisplitArrays const&)> const& look) {
    return guarded([&]() -> SortExpected<void> {
        int const device = state_->options().device;
        DeviceScope const scope{device};
        ElementShape const shape = state_->shape();
        std::uint32_t const buckets = state_->options().function.buckets;
        bool const has_labels =
            std::holds_alternative<LabelBuckets>(state_->options().function.rule);
        std::size_t const key_bytes = count * static_cast<std::size_t>(shape.key_bytes);
        std::size_t const value_bytes = count * static_cast<std::size_t>(shape.value_bytes);
        std::size_t const label_bytes =
            has_labels ? count * static_cast<std::size_t>(arrays.label_bytes) : 0;
        DeviceBuffer<unsigned char> const keys_in{device, key_bytes};
        DeviceBuffer<unsigned char> const keys_out{device, key_bytes};
        DeviceBuffer<unsigned char> const values_in{device, value_bytes};
        DeviceBuffer<unsigned char> const values_out{device, value_bytes};
        DeviceBuffer<unsigned char> const labels{device, label_bytes};
        DeviceBuffer<std::uint64_t> const starts{device, buckets};
        auto* const stream = static_cast<cudaStream_t>(arrays.stream);
        copy_bytes(stream, keys_in.data(), arrays.keys_in, key_bytes);
        copy_bytes(stream, values_in.data(), arrays.values_in, value_bytes);
        copy_bytes(stream, labels.data(), arrays.labels, label_bytes);
        MultisplitArrays const on_device{keys_in.data(),
                                         keys_out.data(),
                                         values_in.data(),
                                         values_out.data(),
                                         labels.data(),
                                         arrays.label_bytes,
                                         starts.data(),
                                         arrays.stream};
        auto done = split(on_device, count);
        if (!done) {
            return done;
        }
        look(on_device);
        copy_bytes(stream, arrays.keys_out, keys_out.data(), key_bytes);
        copy_bytes(stream, arrays.values_out, values_out.data(), value_bytes);
        copy_bytes(stream, arrays.starts, starts.data(), buckets * sizeof(std::uint64_t));
        wait_for(stream);
        return {};
    });
}

} // namespace keyswap::kernels
