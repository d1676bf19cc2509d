#include "kernels/device_check.hpp"

#include "kernels/check/array_summary.hpp"
#include "kernels/check/image_order.hpp"
#include "kernels/device/cuda_error.hpp"
#include "kernels/device/device_buffer.hpp"
#include "kernels/device/stream.hpp"

#include <string>
#include <vector>

namespace keyswap::kernels {

namespace {

/// The part with the number of the device that it lies on.
SortExpected<SequencePart>
located(SortShape const& shape, SequencePart part, std::string const& name) {
    if (auto checked = check_part(shape, part, name); !checked) {
        return tl::unexpected(checked.error());
    }
    if (part.device == SequencePart::in_host_memory) {
        return part;
    }
    bool const is_any = part.device == SequencePart::on_any_device;
    if (!is_any && (part.device < 0 || part.device >= device_count())) {
        return tl::unexpected(SortError{SortErrorCode::no_such_device,
                                        name + " lies on device " + std::to_string(part.device) +
                                            ", which this process does not see.",
                                        InputState::intact});
    }
    for (void const* const array : {part.keys, part.values}) {
        if (part.count == 0 || array == nullptr) {
            continue;
        }
        cudaPointerAttributes found{};
        KEYSWAP_CUDA(cudaPointerGetAttributes(&found, array));
        bool const is_on_device =
            found.type == cudaMemoryTypeDevice || found.type == cudaMemoryTypeManaged;
        if (!is_on_device) {
            return tl::unexpected(refused(name + " is not in the memory of a GPU. Give it as an "
                                                 "array in host memory."));
        }
        if (part.device >= 0 && found.device != part.device) {
            return tl::unexpected(refused(name + " is in the memory of device " +
                                          std::to_string(found.device) + ", not of device " +
                                          std::to_string(part.device) + "."));
        }
        part.device = found.device;
    }
    return part;
}

/// A part that its device reads.
class PartReading {
  public:
    PartReading(SortShape const& shape, SequencePart const& part, SummaryOptions const& options)
        : part_(part), shape_(shape), nan_order_(options.nan_order), stream_(part.device),
          sums_(part.device, 1) {
        DeviceScope const scope{part.device};
        KEYSWAP_CUDA(cudaDeviceSynchronize());
        ArraySums const none;
        KEYSWAP_CUDA(cudaMemcpyAsync(
            sums_.data(), &none, sizeof none, cudaMemcpyHostToDevice, stream_.get()));
        launch_array_summary(
            stream_.get(), {part.keys, part.values, part.count, shape, options}, sums_.data());
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
    /// What compares for a key.
    [[nodiscard]] KeyImage image_at(std::uint64_t index) const {
        switch (key_size_bytes(shape_.key_type)) {
        case sizeof(std::uint32_t):
            return compared_image<std::uint32_t>(index);
        case sizeof(std::uint64_t):
            return compared_image<std::uint64_t>(index);
        default:
            return compared_image<WideImage>(index);
        }
    }

    template <class Word>
    [[nodiscard]] KeyImage compared_image(std::uint64_t index) const {
        Word key{};
        KEYSWAP_CUDA(cudaMemcpyAsync(&key,
                                     static_cast<Word const*>(part_.keys) + index,
                                     sizeof key,
                                     cudaMemcpyDeviceToHost,
                                     stream_.get()));
        wait_for(stream_.get());
        Word const image = encode_image(key, image_code(shape_.key_type, shape_.direction));
        return with_image_order<Word>(
            shape_, nan_order_, [image](auto const& order) { return key_image(order.of(image)); });
    }

    SequencePart part_;
    SortShape shape_;
    NanOrder nan_order_;
    Stream stream_;
    DeviceBuffer<ArraySums> sums_;
};

} // namespace

SortExpected<SequenceSummary> summarize(SortShape const& shape,
                                        std::span<SequencePart const> parts,
                                        SummaryOptions const& options) {
    try {
        std::vector<SequencePart> located_parts;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            auto part = located(shape, parts[i], part_name(i, parts.size()));
            if (!part) {
                return tl::unexpected(std::move(part.error()));
            }
            if (part->count != 0) {
                located_parts.push_back(*part);
            }
        }
        std::vector<std::optional<PartReading>> readings(located_parts.size());
        for (std::size_t i = 0; i < readings.size(); ++i) { // devices read at the same time
            if (located_parts[i].device >= 0) {
                readings[i].emplace(shape, located_parts[i], options);
            }
        }
        SequenceSummary all;
        for (std::size_t i = 0; i < readings.size(); ++i) {
            all = joined(all,
                         readings[i] ? readings[i]->summary()
                                     : summarize_in_host_memory(shape, located_parts[i], options));
        }
        return all;
    } catch (CudaFailure const& failure) {
        return tl::unexpected(error_of(failure, InputState::intact));
    }
}

} // namespace keyswap::kernels
