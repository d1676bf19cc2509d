#include "kernels/exchange_plan/upload_pieces.hpp"

#include <gtest/gtest.h>

namespace keyswap::kernels {
namespace {

TEST(UploadPieces, AreEightOfManyKeysAndOneOfFew) {
    EXPECT_EQ(upload_piece_count(0, std::nullopt), 0U);
    EXPECT_EQ(upload_piece_count(1, std::nullopt), 1U);
    EXPECT_EQ(upload_piece_count(keys_worth_upload_pieces - 1, std::nullopt), 1U);
    EXPECT_EQ(upload_piece_count(keys_worth_upload_pieces, std::nullopt), 8U);
    // As tests request, except that no piece is empty.
    EXPECT_EQ(upload_piece_count(0, 0), 0U);
    EXPECT_EQ(upload_piece_count(7, 0), 1U);
    EXPECT_EQ(upload_piece_count(8, 0), 8U);
    EXPECT_EQ(upload_piece_count(99, 100), 1U);
    EXPECT_EQ(upload_piece_count(100, 100), 8U);
}

TEST(UploadPieces, FollowEachOtherAndDifferByOneKeyAtMost) {
    for (std::uint64_t keys = 1; keys < 100; ++keys) {
        std::size_t const pieces = upload_piece_count(keys, 0);
        EXPECT_EQ(upload_piece_begin(keys, pieces, 0), 0U);
        EXPECT_EQ(upload_piece_begin(keys, pieces, pieces), keys);
        for (std::size_t piece = 0; piece < pieces; ++piece) {
            std::uint64_t const count = upload_piece_begin(keys, pieces, piece + 1) -
                                        upload_piece_begin(keys, pieces, piece);
            EXPECT_GE(count, keys / pieces);
            EXPECT_LE(count, (keys + pieces - 1) / pieces);
        }
    }
}

} // namespace
} // namespace keyswap::kernels
