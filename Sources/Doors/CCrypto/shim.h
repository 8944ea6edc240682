// The whole of libcrypto that we see: HMAC() with EVP_sha256() and RSA signatures over a key in PEM, and the words for
// what is wrong with a certificate. Only Transport and SourceKit import it.
#pragma once
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/x509_vfy.h>
