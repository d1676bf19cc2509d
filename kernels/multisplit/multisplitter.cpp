#include "kernels/multisplit.hpp"

#include "kernels/device/cuda_check.hpp"
#include "kernels/device/device_buffer.hpp"
#include "kernels/multisplit/device_rule.hpp"
#include "kernels/multisplit/split_kernels.hpp"
#include "kernels/multisplit/split_options.hpp"

#include <algorithm>

namespace keyswap::kernels {

namespace {

SortError device_error(CudaFailure const& failure) {
    bool const memory = failure.code() == cudaErrorMemoryAllocation;
    return {memory ? SortErrorCode::out_of_device_memory : SortErrorCode::device_failure,
            std::string(failure.what()) +
                (memory ? " (take fewer elements, or free device memory)" : ""),
            InputState::intact};
}

PaperMethod paper_method(MultisplitMethod method) {
    switch (method) {
    case MultisplitMethod::direct:
        return PaperMethod::direct;
    case MultisplitMethod::warp:
        return PaperMethod::warp;
    default:
        return PaperMethod::block;
    }
}

} // namespace

class MultisplitState {
  public:
    MultisplitState(MultisplitOptions const& options,
                    MultisplitMethod method,
                    std::uint64_t count_max)
        : options_(options), method_(method),
          count_max_(count_max), shape_{static_cast<int>(key_size_bytes(options.key_type)),
                                        static_cast<int>(value_size_bytes(options.value_type))},
          tables_(
              options.function, shape_.key_bytes, image_code(options.key_type, options.direction)) {
        auto const take = [device = options.device](auto& buffer, std::size_t count) {
            using Buffer = std::remove_reference_t<decltype(buffer)>;
            buffer = Buffer(device, count);
        };
        std::uint32_t const buckets = options.function.buckets;
        std::uint64_t const slices =
            std::max<std::uint64_t>(1, (count_max + fused_slice_max - 1) / fused_slice_max);
        take(counts_, slices * buckets);
        take(positions_, slices * buckets);
        if (keeps_labels()) {
            // Loads of 16 bytes reach behind the last label.
            take(labels_, count_max + 16);
            KEYSWAP_CUDA(cudaMemset(labels_.data(), 0, labels_.size()));
        }
        scratch_bytes_ = scratch_bytes();
        take(scratch_, scratch_bytes_);
    }

    [[nodiscard]] MultisplitOptions const& options() const { return options_; }
    [[nodiscard]] MultisplitMethod method() const { return method_; }
    [[nodiscard]] std::uint64_t count_max() const { return count_max_; }
    [[nodiscard]] ElementShape shape() const { return shape_; }
    [[nodiscard]] std::uint64_t bytes() const {
        return counts_.size() * (sizeof(std::uint64_t) + sizeof(std::uint32_t)) + labels_.size() +
               scratch_.size();
    }

    void split(MultisplitArrays const& arrays, std::uint64_t count) {
        auto* const stream = static_cast<cudaStream_t>(arrays.stream);
        DeviceRule rule = tables_.rule();
        rule.labels = arrays.labels;
        rule.label_bytes = arrays.label_bytes;
        SplitArrays const split{
            arrays.keys_in, arrays.keys_out, arrays.values_in, arrays.values_out, count, shape_};
        if (count == 0) {
            KEYSWAP_CUDA(
                cudaMemsetAsync(arrays.starts, 0, rule.buckets * sizeof(std::uint64_t), stream));
            return;
        }
        switch (method_) {
        case MultisplitMethod::direct:
        case MultisplitMethod::warp:
        case MultisplitMethod::block:
            return launch_paper_split(stream,
                                      paper_method(method_),
                                      split,
                                      rule,
                                      arrays.starts,
                                      scratch_.data(),
                                      scratch_bytes_);
        case MultisplitMethod::reduced_bit:
            return launch_reduced_bit_split(
                stream, split, rule, arrays.starts, scratch_.data(), scratch_bytes_);
        case MultisplitMethod::scan_split:
        case MultisplitMethod::recursive_split:
            return launch_scan_split(
                stream, split, rule, arrays.starts, scratch_.data(), scratch_bytes_);
        case MultisplitMethod::fused:
        case MultisplitMethod::atomic:
        case MultisplitMethod::split1:
            return split_in_slices(stream, split, rule, arrays.starts);
        }
    }

  private:
    /// Labels are kept where computing them again costs more than their two bytes.
    [[nodiscard]] bool keeps_labels() const {
        bool const one_pass =
            method_ == MultisplitMethod::fused || method_ == MultisplitMethod::atomic;
        RuleKind const kind = tables_.rule().kind;
        // A 64-bit quotient costs more than reading its label.
        bool const is_cheap =
            kind == RuleKind::digit || (kind == RuleKind::delta && shape_.key_bytes == 4);
        return one_pass && !is_cheap;
    }

    [[nodiscard]] std::size_t scratch_bytes() const {
        switch (method_) {
        case MultisplitMethod::direct:
        case MultisplitMethod::warp:
        case MultisplitMethod::block:
            return paper_scratch_bytes(
                paper_method(method_), count_max_, options_.function.buckets);
        case MultisplitMethod::reduced_bit:
            return reduced_bit_scratch_bytes(shape_, count_max_);
        case MultisplitMethod::scan_split:
        case MultisplitMethod::recursive_split:
            return scan_split_scratch_bytes(count_max_);
        case MultisplitMethod::fused:
            return fused_scratch_bytes(shape_, std::min(count_max_, fused_slice_max));
        case MultisplitMethod::split1:
            return two_way_scratch_bytes(count_max_);
        case MultisplitMethod::atomic:
            return 0;
        }
        return 0;
    }

    /// Counts, starts, then one pass; look-back words of `fused` hold 30 bits, so that it takes
    /// longer inputs in slices which know where they begin in every bucket.
    void split_in_slices(cudaStream_t stream,
                         SplitArrays const& arrays,
                         DeviceRule const& rule,
                         std::uint64_t* starts) {
        std::uint64_t const slice_max =
            method_ == MultisplitMethod::fused ? fused_slice_max : arrays.count;
        auto const slices = static_cast<std::uint32_t>((arrays.count + slice_max - 1) / slice_max);
        std::uint8_t* const labels = keeps_labels() ? labels_.data() : nullptr;
        KEYSWAP_CUDA(cudaMemsetAsync(
            counts_.data(), 0, std::size_t{slices} * rule.buckets * sizeof(std::uint64_t), stream));
        auto const for_each_slice = [&](auto const& act) {
            for (std::uint32_t slice = 0; slice < slices; ++slice) {
                std::uint64_t const begin = slice * slice_max;
                DeviceRule part_rule = rule;
                part_rule.labels = static_cast<std::uint8_t const*>(rule.labels) +
                                   begin * static_cast<std::uint64_t>(rule.label_bytes);
                act(slice_of(arrays, begin, std::min(slice_max, arrays.count - begin)),
                    part_rule,
                    labels == nullptr ? nullptr : labels + begin,
                    std::size_t{slice} * rule.buckets);
            }
        };
        for_each_slice([&](SplitArrays const& part,
                           DeviceRule const& part_rule,
                           std::uint8_t* part_labels,
                           std::size_t first) {
            launch_bucket_counts(stream,
                                 shape_.key_bytes,
                                 part.keys_in,
                                 part.count,
                                 part_rule,
                                 part_labels,
                                 counts_.data() + first);
        });
        launch_bucket_starts(
            stream, counts_.data(), slices, rule.buckets, positions_.data(), starts);
        for_each_slice([&](SplitArrays const& part,
                           DeviceRule const& part_rule,
                           std::uint8_t* part_labels,
                           std::size_t first) {
            std::uint32_t* const positions = positions_.data() + first;
            switch (method_) {
            case MultisplitMethod::fused:
                return launch_fused_split(
                    stream, part, part_rule, part_labels, positions, scratch_.data());
            case MultisplitMethod::atomic:
                return launch_atomic_split(stream, part, part_rule, part_labels, positions);
            default:
                return launch_two_way_split(stream, part, part_rule, positions, scratch_.data());
            }
        });
    }

    /// Outputs stay whole: positions are global.
    [[nodiscard]] SplitArrays
    slice_of(SplitArrays const& arrays, std::uint64_t begin, std::uint64_t count) const {
        SplitArrays part = arrays;
        part.keys_in = static_cast<unsigned char const*>(arrays.keys_in) +
                       begin * static_cast<std::uint64_t>(shape_.key_bytes);
        if (shape_.value_bytes != 0) {
            part.values_in = static_cast<unsigned char const*>(arrays.values_in) +
                             begin * static_cast<std::uint64_t>(shape_.value_bytes);
        }
        part.count = count;
        return part;
    }

    MultisplitOptions options_;
    MultisplitMethod method_;
    std::uint64_t count_max_;
    ElementShape shape_;
    RuleTables tables_;
    DeviceBuffer<std::uint64_t> counts_;    ///< [slices][buckets]
    DeviceBuffer<std::uint32_t> positions_; ///< [slices][buckets]
    DeviceBuffer<std::uint8_t> labels_;
    DeviceBuffer<unsigned char> scratch_;
    std::size_t scratch_bytes_ = 0;
};

Multisplitter::Multisplitter(std::unique_ptr<MultisplitState> state) : state_(std::move(state)) {}
Multisplitter::Multisplitter(Multisplitter&&) noexcept = default;
Multisplitter& Multisplitter::operator=(Multisplitter&&) noexcept = default;
Multisplitter::~Multisplitter() = default;

SortExpected<Multisplitter> Multisplitter::create(MultisplitOptions const& options,
                                                  std::uint64_t count_max) {
    auto const method = method_of(options, count_max);
    if (!method) {
        return tl::unexpected(
            SortError{SortErrorCode::invalid_option, method.error(), InputState::intact});
    }
    if (options.device < 0 || options.device >= device_count()) {
        return tl::unexpected(SortError{SortErrorCode::no_such_device,
                                        "there is no device " + std::to_string(options.device) +
                                            " (this machine shows " +
                                            std::to_string(device_count()) + ")",
                                        InputState::intact});
    }
    try {
        DeviceScope const scope{options.device};
        return Multisplitter(std::make_unique<MultisplitState>(options, *method, count_max));
    } catch (CudaFailure const& failure) {
        return tl::unexpected(device_error(failure));
    }
}

MultisplitMethod Multisplitter::method() const {
    return state_->method();
}

std::uint64_t Multisplitter::workspace_bytes() const {
    return state_->bytes();
}

SortExpected<void> Multisplitter::split(MultisplitArrays const& arrays, std::uint64_t count) {
    if (auto const problem = problem_of(state_->options(), arrays, count, state_->count_max())) {
        return tl::unexpected(
            SortError{SortErrorCode::invalid_option, *problem, InputState::intact});
    }
    try {
        DeviceScope const scope{state_->options().device};
        state_->split(arrays, count);
        return {};
    } catch (CudaFailure const& failure) {
        return tl::unexpected(device_error(failure));
    }
}

SortExpected<void> Multisplitter::split_host(MultisplitArrays const& arrays, std::uint64_t count) {
    try {
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
        auto const copy = [stream](void* to, void const* from, std::size_t bytes) {
            if (bytes != 0) {
                KEYSWAP_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream));
            }
        };
        copy(keys_in.data(), arrays.keys_in, key_bytes);
        copy(values_in.data(), arrays.values_in, value_bytes);
        copy(labels.data(), arrays.labels, label_bytes);
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
        copy(arrays.keys_out, keys_out.data(), key_bytes);
        copy(arrays.values_out, values_out.data(), value_bytes);
        copy(arrays.starts, starts.data(), buckets * sizeof(std::uint64_t));
        KEYSWAP_CUDA(cudaStreamSynchronize(stream));
        return {};
    } catch (CudaFailure const& failure) {
        return tl::unexpected(device_error(failure));
    }
}

} // namespace keyswap::kernels
