// The whole of libcrypto that we see: HMAC() with EVP_sha256() for signatures, and the words for what is wrong with a
// certificate. Only Transport imports it.
#pragma once
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/x509_vfy.h>
