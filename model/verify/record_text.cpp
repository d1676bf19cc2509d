#include "model/verify/record_text.hpp"

#include "traces/errors/hex_text.hpp"

namespace keyswap::model::verify {

std::string keys_text(std::uint64_t count) {
    return std::to_string(count) + (count == 1 ? " key" : " keys");
}

std::string digest_text(MultisetDigest const& digest) {
    return keys_text(digest.count) + " of digest " + hex_text(digest.high, 16) +
           hex_text(digest.low, 16);
}

std::string sequence_text(SequenceDigest const& digest) {
    return digest_text({digest.count, digest.low, digest.high}) + " in this order";
}

std::string step_text(int step, std::string const& method) {
    return "step " + std::to_string(step) + (method.empty() ? "" : " by " + method);
}

std::string sort_text(SortRangeRecord const& range) {
    return "keys " + range_text(range.offset, range.offset + range.count) + " on bits [" +
           std::to_string(range.begin_bit) + ", " + std::to_string(range.end_bit) + ")";
}

std::string range_text(std::uint64_t begin, std::uint64_t end) {
    return "[" + std::to_string(begin) + ", " + std::to_string(end) + ")";
}

} // namespace keyswap::model::verify
