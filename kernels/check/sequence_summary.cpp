#include "kernels/check/sequence_summary.hpp"

#include "kernels/check/image_order.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <thread>
#include <vector>

namespace keyswap::kernels {

namespace {

constexpr std::uint64_t keys_per_thread_min = std::uint64_t{1} << 20;

template <class Word>
Word word_at(void const* array, std::uint64_t index) {
    Word word;
    std::memcpy(&word, static_cast<std::byte const*>(array) + index * sizeof word, sizeof word);
    return word;
}

/// Reads elements [begin, end) of a part.
template <class Word, class Order>
class StretchReader {
  public:
    StretchReader(SortShape const& shape,
                  SequencePart const& part,
                  std::uint64_t seed,
                  Order const& order)
        : part_(part), code_(image_code(shape.key_type, shape.direction)),
          value_bytes_(value_size_bytes(shape.value_type)), seed_(seed), order_(order) {}

    [[nodiscard]] SequenceSummary read(std::uint64_t begin, std::uint64_t end) const {
        SequenceSummary summary;
        for (std::uint64_t i = begin; i < end; ++i) {
            Word const image = encode_image(word_at<Word>(part_.keys, i), code_);
            KeyImage const compared = key_image(order_.of(image));
            if (summary.last && compared < *summary.last) {
                ++summary.violations;
                summary.first_violation = summary.first_violation.value_or(i - 1 - begin);
            }
            summary.first = summary.first.value_or(compared);
            summary.last = compared;
            summary.elements += array_digest(hash_at(i, image));
        }
        return summary;
    }

  private:
    [[nodiscard]] std::uint64_t hash_at(std::uint64_t index, Word image) const {
        std::uint64_t const hash = hash_of_key(key_image(image), seed_);
        if (value_bytes_ == 0) {
            return hash;
        }
        std::uint64_t const value = value_bytes_ == sizeof(std::uint32_t)
                                        ? word_at<std::uint32_t>(part_.values, index)
                                        : word_at<std::uint64_t>(part_.values, index);
        return hash_with_value(hash, value);
    }

    SequencePart part_;
    ImageCode code_;
    std::size_t value_bytes_;
    std::uint64_t seed_;
    Order order_;
};

template <class Reader>
SequenceSummary read_on_all_cores(Reader const& reader, std::uint64_t count) {
    std::uint64_t const cores = std::max(1U, std::thread::hardware_concurrency());
    std::uint64_t const stretches =
        std::clamp(count / keys_per_thread_min, std::uint64_t{1}, cores);
    std::vector<SequenceSummary> found(stretches);
    {
        std::vector<std::jthread> threads;
        for (std::uint64_t i = 0; i < stretches; ++i) {
            threads.emplace_back([&reader, &found, count, stretches, i] {
                found[i] = reader.read(count / stretches * i,
                                       i + 1 == stretches ? count : count / stretches * (i + 1));
            });
        }
    }
    SequenceSummary all;
    for (SequenceSummary const& stretch : found) {
        all = joined(all, stretch);
    }
    return all;
}

template <class Word>
SequenceSummary
read_words(SortShape const& shape, SequencePart const& part, SummaryOptions const& options) {
    return with_image_order<Word>(shape, options.nan_order, [&]<class Order>(Order const& order) {
        StretchReader<Word, Order> const reader{shape, part, options.seed, order};
        return read_on_all_cores(reader, part.count);
    });
}

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

std::string part_name(std::size_t index, std::size_t count) {
    return "part " + std::to_string(index + 1) + " of " + std::to_string(count);
}

SortExpected<void>
check_part(SortShape const& shape, SequencePart const& part, std::string const& name) {
    auto const refused = [&name](std::string const& problem) {
        return tl::unexpected(SortError{SortErrorCode::invalid_option, name + problem});
    };
    if (part.count == 0) {
        return {};
    }
    if (part.keys == nullptr) {
        return refused(" has no keys.");
    }
    if (shape.value_type != ValueType::none && part.values == nullptr) {
        return refused(" has no values.");
    }
    auto const is_misaligned = [](void const* array, std::size_t bytes) {
        return bytes != 0 && reinterpret_cast<std::uintptr_t>(array) % bytes != 0;
    };
    if (is_misaligned(part.keys, key_size_bytes(shape.key_type)) ||
        is_misaligned(part.values, value_size_bytes(shape.value_type))) {
        return refused(" is not aligned to its type's size. Copy it to aligned memory.");
    }
    return {};
}

SequenceSummary summarize_in_host_memory(SortShape const& shape,
                                         SequencePart const& part,
                                         SummaryOptions const& options) {
    switch (key_size_bytes(shape.key_type)) {
    case sizeof(std::uint32_t):
        return read_words<std::uint32_t>(shape, part, options);
    case sizeof(std::uint64_t):
        return read_words<std::uint64_t>(shape, part, options);
    default:
        return read_words<WideImage>(shape, part, options);
    }
}

} // namespace keyswap::kernels
