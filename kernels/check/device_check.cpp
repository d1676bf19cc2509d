#include "kernels/device_check.hpp"

#include "kernels/check/array_summary.hpp"
#include "kernels/device/cuda_error.hpp"
#include "kernels/device/device_buffer.hpp"
#include "kernels/device/stream.hpp"

#include <array>
#include <cstring>
#include <string>
#include <vector>

namespace keyswap::kernels {

namespace {

std::optional<SortError> error_in(SortShape const& shape, std::span<DeviceArray const> parts) {
    if (shape.zero_order == ZeroOrder::equal && is_floating(shape.key_type)) {
        return refused("-0.0 = +0.0 is not supported on GPUs. Use the total order, in which -0.0 "
                       "comes before +0.0.");
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
        DeviceArray const& part = parts[i];
        std::string const name =
            "part " + std::to_string(i + 1) + " of " + std::to_string(parts.size());
        if (part.device < 0 || part.device >= device_count()) {
            return SortError{SortErrorCode::no_such_device,
                             name + " lies on device " + std::to_string(part.device) +
                                 ", which this process does not see",
                             InputState::intact};
        }
        bool const lacks_values =
            shape.value_type != ValueType::none && part.values == nullptr && part.count != 0;
        if (lacks_values || (part.keys == nullptr && part.count != 0)) {
            return refused(name + " has no " + (lacks_values ? "values" : "keys") + ".");
        }
        auto const misaligned = [](void const* array, std::size_t bytes) {
            return bytes != 0 && reinterpret_cast<std::uintptr_t>(array) % bytes != 0;
        };
        if (misaligned(part.keys, key_size_bytes(shape.key_type)) ||
            misaligned(part.values, value_size_bytes(shape.value_type))) {
            return refused(name + " does not begin at a multiple of its type's size. Copy it to "
                                  "memory that does.");
        }
    }
    return std::nullopt;
}

/// A part that its device reads.
class PartReading {
  public:
    PartReading(SortShape const& shape, DeviceArray const& part, std::uint64_t seed)
        : part_(part), key_bytes_(key_size_bytes(shape.key_type)),
          code_(image_code(shape.key_type, shape.direction)), stream_(part.device),
          sums_(part.device, 1) {
        DeviceScope const scope{part.device};
        ArraySums const none;
        KEYSWAP_CUDA(cudaMemcpyAsync(
            sums_.data(), &none, sizeof none, cudaMemcpyHostToDevice, stream_.get()));
        launch_array_summary(stream_.get(),
                             static_cast<int>(key_bytes_),
                             static_cast<int>(value_size_bytes(shape.value_type)),
                             {part.keys, part.values, part.count, code_, seed},
                             sums_.data());
    }

    /// Waits for the device.
    [[nodiscard]] SequenceSummary summary() const {
        DeviceScope const scope{part_.device};
        ArraySums sums;
        KEYSWAP_CUDA(cudaMemcpyAsync(
            &sums, sums_.data(), sizeof sums, cudaMemcpyDeviceToHost, stream_.get()));
        wait_for(stream_.get());
        SequenceSummary summary;
        summary.elements = {part_.count, sums.words, sums.products};
        summary.violations = sums.violations;
        if (sums.violations != 0) {
            summary.first_violation = sums.first_violation;
        }
        summary.first = image_at(0);
        summary.last = image_at(part_.count - 1);
        return summary;
    }

  private:
    [[nodiscard]] KeyImage image_at(std::uint64_t index) const {
        std::array<unsigned char, sizeof(WideImage)> bytes{};
        KEYSWAP_CUDA(
            cudaMemcpyAsync(bytes.data(),
                            static_cast<unsigned char const*>(part_.keys) + index * key_bytes_,
                            key_bytes_,
                            cudaMemcpyDeviceToHost,
                            stream_.get()));
        wait_for(stream_.get());
        auto const image = [&bytes, this]<class Word>(Word word) {
            std::memcpy(&word, bytes.data(), sizeof word);
            return key_image(encode_image(word, code_));
        };
        return key_bytes_ == 4   ? image(std::uint32_t{0})
               : key_bytes_ == 8 ? image(std::uint64_t{0})
                                 : image(WideImage{0});
    }

    DeviceArray part_;
    std::size_t key_bytes_;
    ImageCode code_;
    Stream stream_;
    DeviceBuffer<ArraySums> sums_;
};

} // namespace

SequenceSummary joined(SequenceSummary const& left, SequenceSummary const& right) {
    SequenceSummary both = left;
    both.elements += right.elements;
    both.violations += right.violations;
    if (left.last && right.first && *right.first < *left.last) {
        ++both.violations;
        both.first_violation = both.first_violation.value_or(left.elements.count - 1);
    }
    if (right.first_violation && !both.first_violation) {
        both.first_violation = left.elements.count + *right.first_violation;
    }
    both.first = left.first ? left.first : right.first;
    both.last = right.last ? right.last : left.last;
    return both;
}

SortExpected<SequenceSummary>
summarize(SortShape const& shape, std::span<DeviceArray const> parts, std::uint64_t seed) {
    if (auto error = error_in(shape, parts)) {
        return tl::unexpected(std::move(*error));
    }
    try {
        std::vector<PartReading> readings;
        readings.reserve(parts.size());
        for (DeviceArray const& part : parts) {
            if (part.count != 0) {
                readings.emplace_back(shape, part, seed);
            }
        }
        SequenceSummary all;
        for (PartReading const& reading : readings) {
            all = joined(all, reading.summary());
        }
        return all;
    } catch (CudaFailure const& failure) {
        return tl::unexpected(error_of(failure, InputState::intact));
    }
}

} // namespace keyswap::kernels
